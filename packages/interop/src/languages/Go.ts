import { type Language, missing } from "../Language.ts"
export const go: Language = { name: "go", prepare: () => Promise.resolve(missing("later")) }
