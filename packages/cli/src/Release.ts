// Which release of the command line this is: what it says with --version, and how it introduces itself to servers.

/** The version of this package. A test holds it to package.json. */
export const version = "0.1.0"

/** Who a server is told that it talks to. A probe declares no capabilities. */
export const identity = { info: { name: "parley", version }, capabilities: {} } as const
