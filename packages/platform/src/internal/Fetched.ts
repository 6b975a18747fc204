// What both HTTP client carriers of this package make of a response before its body is read.
import * as HttpRequest from "@parley/core/HttpRequest"

/** Returns why a response must not be read: it is from elsewhere, or the platform hides what it is. */
export const strangeness = (status: number, address: string, asked: URL): string | undefined => {
  if (status === 0) return "The server redirected, and this platform shows no redirect."
  if (address === "" || address === asked.href) return undefined
  const from = HttpRequest.endpoint(address)
  return from.ok && from.url.origin !== asked.origin
    ? `The HTTP client followed a redirect to ${from.url.origin} by itself; its answer was not read.`
    : undefined
}

/**
 * Returns whether a body need not be read in pieces: it is short and its length is known. What is encoded may be longer
 * than it says; where a browser hides the encoding, a body of this length still fits into the memory.
 */
export const isShort = (header: (name: string) => string | undefined): boolean => {
  const length = header("content-length")
  return length !== undefined && Number(length) <= longestWhole && header("content-encoding") === undefined
}

/** How many answered streams that their servers do not end are kept. */
export const mostLingering = 8

const longestWhole = 65_536
