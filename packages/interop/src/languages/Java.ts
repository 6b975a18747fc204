// Java: the official SDK, which knows the handshake alone. One program, compiled by Maven from peers/java.
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { carriages, type Language, missing } from "../Language.ts"
import { run, versionOf } from "../Process.ts"

const library = "java-sdk 2.1.0"
const pom = fileURLToPath(new URL("../../peers/java/pom.xml", import.meta.url))

export const java: Language = {
  name: "java",
  prepare: async (folder) => {
    const version = await versionOf("javac", ["--version"])
    if (version === undefined || (await versionOf("mvn", ["--version"])) === undefined) {
      return missing("there is no JDK with Maven")
    }
    const place = join(folder, "java")
    const repository = `-Dmaven.repo.local=${join(place, "repository")}`
    await run("mvn", ["--batch-mode", "--quiet", `-Dplace=${place}`, repository, "-f", pom, "process-classes"])
    const args = ["-cp", `${join(place, "classes")}:${join(place, "libraries")}/*`, "Peer"]
    return {
      _tag: "Ready",
      toolchain: version.replace("javac", "Java"),
      servers: carriages.map((carriage) => ({
        library,
        carriage,
        command: "java",
        args: [...args, "server", carriage],
        speaks: "legacy" as const,
        newestLegacy: "2025-11-25"
      })),
      clients: [{ library, command: "java", args: [...args, "client"], modes: [{ name: "only", speaks: "legacy" }] }],
      skipped: []
    }
  }
}
