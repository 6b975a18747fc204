// The tools that the walked servers have, by name: whoever reads the conversations needs the names and no server.

/** A plain tool, one that needs a client capability, and one with a parameter that travels as a header. */
export const toolNames = { plain: "echo", asking: "ask", placed: "place" } as const
