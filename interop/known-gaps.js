// What some pairs cannot do for reasons that are not ours to change.

/**
 * What a pair cannot do, with the reason.
 * @type {readonly { check: string, reason: string, when: (cell: object) => boolean }[]}
 */
export const KNOWN = [
  {
    check: 'large payload',
    reason: 'the SSE client of the Python SDK refuses events over 1 MiB and has no option for it',
    when: ({ client, transport }) => client === 'python' && transport === 'sse',
  },
  {
    check: 'large payload',
    reason: 'FastMCP does not pass on the option for events over 1 MiB of the Python SDK beneath it',
    when: ({ client, transport }) => client === 'fastmcp' && transport.endsWith('sse'),
  },
  {
    check: 'progress',
    reason: 'the Python SDK drops progress of a request that it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'logging',
    reason: 'the Python SDK drops log messages of a request that it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'cancel',
    reason: 'the Python SDK does not notice that the caller of a request left which it answers with JSON',
    when: isModernJsonFromPython,
  },
  {
    check: 'cancel',
    reason: 'the AI SDK gives up a call without telling the server; only the end of a modern HTTP request tells it',
    when: ({ client, transport, era }) => client === 'ai-sdk' && !(era === 'modern' && transport.startsWith('http-')),
  },
  {
    check: 'exit',
    reason: 'the AI SDK ends its server by SIGTERM',
    when: ({ client }) => client === 'ai-sdk',
  },
  {
    check: 'exit',
    reason: 'the everything server does not always leave when its input ends, whoever its client is',
    when: ({ server }) => server === 'everything',
  },
  {
    check: 'roots',
    reason: 'fastmcp for Node asks for roots before the stream is there on which it could, and not again',
    when: ({ server, transport }) => server === 'fastmcp-node' && transport === 'http-sse',
  },
  {
    check: 'elicitation, url',
    reason: 'the Rust SDK insists on an elicitationId, which 2026-07-28 no longer has',
    when: ({ client, server, era }) => [client, server].includes('rust') && era === 'modern',
  },
  ...['elicitation, form', 'list changes'].map((check) => ({
    check,
    reason: 'FastMCP does not offer this to modern clients',
    when: ({ server, era }) => server === 'fastmcp' && era === 'modern',
  })),
  ...['progress', 'logging', 'cancel', 'elicitation, form', 'list changes'].map((check) => ({
    check,
    reason: 'FastMCP drops what does not fit into a JSON answer, and does not notice that its caller left',
    when: ({ server, transport, era }) =>
      server === 'fastmcp' && transport === 'http-json' && !(check === 'cancel' && era === 'legacy'),
  })),
  {
    check: 'progress',
    reason: 'the Go SDK delivers no progress of a modern request that it answers with JSON',
    when: isModernJsonFromGo,
  },
  {
    check: 'logging',
    reason: 'the Go SDK delivers no log message of a modern request that it answers with JSON',
    when: isModernJsonFromGo,
  },
  {
    check: 'progress',
    reason: 'the official servers drop progress of a request that they answer with JSON',
    when: isJsonFromOfficial,
  },
  {
    check: 'logging',
    reason: 'the official servers drop log messages of a request that they answer with JSON',
    when: isJsonFromOfficial,
  },
]

function isJsonFromOfficial({ server, transport, era }) {
  return server.startsWith('official') && transport === 'http-json' && era === 'legacy'
}

function isModernJsonFromPython({ server, transport, era }) {
  return server === 'python' && transport === 'http-json' && era === 'modern'
}

function isModernJsonFromGo({ server, transport, era }) {
  return server === 'go' && transport === 'http-json' && era === 'modern'
}

export function knownGap(cell, check) {
  return KNOWN.find((gap) => gap.check === check && gap.when(cell))?.reason
}
