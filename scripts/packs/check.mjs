// Type-checks the project of the working directory by the compiler's interface: what is the project's own and what is ours,
// and of everybody else's declarations only what these use. To check those too would take most of the time. It is copied
// beside the TypeScript that is meant, which must be one with an interface (6 or older).
import ts from "typescript"

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile)
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd())
const program = ts.createProgram(fileNames, options)
const files = program
  .getSourceFiles()
  .filter(({ fileName }) => !fileName.includes("/node_modules/") || fileName.includes("/node_modules/@parley/"))
const found = [
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
]
const host = {
  getCurrentDirectory: () => process.cwd(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n"
}
process.stdout.write(ts.formatDiagnostics(found, host))
process.exitCode = found.length === 0 ? 0 : 1
