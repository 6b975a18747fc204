import { type Language, missing } from "../Language.ts"
export const java: Language = { name: "java", prepare: () => Promise.resolve(missing("later")) }
