// Numbers that look random and come again from the same seed, and bytes made of them: half honest, half not.

/** A sequence that its seed determines. */
export interface Random {
  /** Returns an integer from 0 to below `bound`. */
  readonly below: (bound: number) => number
}

/** Returns the sequence of a seed (mulberry32). */
export const make = (seed: number): Random => {
  let state = seed >>> 0
  return {
    below: (bound) => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
    }
  }
}

/** Returns bytes as a peer might send them: honest frames cut, joined, repeated and bitten into, or no frames at all. */
export const bytes = (random: Random): Uint8Array => {
  const found: Array<number> = []
  const parts = 1 + random.below(6)
  for (let part = 0; part < parts; part++) {
    const frame = frames[random.below(frames.length)] ?? ""
    for (const byte of new TextEncoder().encode(frame)) {
      const bite = random.below(60)
      if (bite === 0) found.push(random.below(256))
      else if (bite === 1) found.push(byte, byte)
      else if (bite !== 2) found.push(byte)
    }
    found.push(...(separators[random.below(separators.length)] ?? []))
  }
  return Uint8Array.from(found)
}

const meta =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

const frames: ReadonlyArray<string> = [
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}',
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}',
  '{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-06-18"],"capabilities":{}}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"no","data":{"supported":["2025-06-18"]}}}',
  '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"unknown"}}',
  '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
  `{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{${meta}}}`,
  `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"größe","arguments":{"__proto__":1},${meta}}}`,
  '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"result":{}}]',
  '{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"properties":{"c":{"x-mcp-header":"a"}}}}}',
  'event: message\nid: 7\nretry: 20\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n',
  ": comment\r\ndata: a\r\ndata: b\r\n",
  "Starting server on port 3000 …",
  "\ufeff",
  "<!doctype html><title>Sign in</title>",
  '{"a":[[[[[[[[[[[[[[[[[[[[[[[[{}]]]]]]]]]]]]]]]]]]]]]]]]}',
  "\u0000\u001b[31m\ud800",
  ""
]

const separators: ReadonlyArray<ReadonlyArray<number>> = [[10], [13, 10], [13], [10, 10], [], [0xff, 10], [0xe2, 0x82]]
