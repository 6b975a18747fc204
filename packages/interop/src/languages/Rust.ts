import { type Language, missing } from "../Language.ts"
export const rust: Language = { name: "rust", prepare: () => Promise.resolve(missing("later")) }
