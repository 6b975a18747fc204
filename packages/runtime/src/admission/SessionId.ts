// Ids that nobody can guess, for sessions: 144 random bits in 24 visible ASCII characters.

/** Returns a new session id. */
export const make = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(bytesEach))
  const codes: Array<number> = []
  for (let at = 0; at < bytesEach; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) codes.push(alphabet.charCodeAt((bits >> shift) & 63))
  }
  // Written at once: text that is put together piece by piece keeps its pieces, and a session should be small.
  return String.fromCharCode(...codes)
}

const bytesEach = 18
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
