// The door of @parley/core: every module under its name. Schema codecs have a door of their own, "@parley/core/Schemas".
export * as Lines from "./Lines.ts"
export * as PipeAnswer from "./PipeAnswer.ts"
