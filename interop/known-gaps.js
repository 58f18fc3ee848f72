// Checks that some pairs fail for reasons outside mcpwire.
import { TASK_CHECKS } from './tasks/checks.js'

/** The checks in which a client sends requests about a task. */
const TASK_CHECK_NAMES = Object.keys(TASK_CHECKS).filter((check) => !['plain call', 'unknown task'].includes(check))

/**
 * A check that a pair fails, with the reason.
 * @type {readonly { check: string, reason: string, when: (cell: object) => boolean }[]}
 */
export const KNOWN = [
  {
    check: 'large payload',
    reason: 'the SSE client of the Python SDK rejects events over 1 MiB and has no option for it',
    when: ({ client, transport }) => client === 'python' && transport === 'sse',
  },
  {
    check: 'large payload',
    reason: 'FastMCP has no option for events over 1 MiB, which the Python SDK below it has',
    when: ({ client, transport }) => client === 'fastmcp' && transport.endsWith('sse'),
  },
  {
    check: 'progress',
    reason: 'the Python SDK drops progress of a request with a JSON response',
    when: isModernJsonFromPython,
  },
  {
    check: 'logging',
    reason: 'the Python SDK drops log messages of a request with a JSON response',
    when: isModernJsonFromPython,
  },
  {
    check: 'cancel',
    reason: 'the Python SDK does not notice that a client disconnected from a request with a JSON response',
    when: isModernJsonFromPython,
  },
  {
    check: 'cancel',
    reason:
      'the AI SDK cancels a call without a notification; the server notices it only by the end of a modern HTTP request',
    when: ({ client, transport, era }) => client === 'ai-sdk' && !(era === 'modern' && transport.startsWith('http-')),
  },
  {
    check: 'exit',
    reason: 'the AI SDK ends its server by SIGTERM',
    when: ({ client }) => client === 'ai-sdk',
  },
  {
    check: 'exit',
    reason: 'the everything server does not always exit when its input ends, with any client',
    when: ({ server }) => server === 'everything',
  },
  {
    check: 'roots',
    reason: 'fastmcp for Node requests roots before its stream is open, and does not retry',
    when: ({ server, transport }) => server === 'fastmcp-node' && transport === 'http-sse',
  },
  {
    check: 'elicitation, url',
    reason: 'the Rust SDK requires an elicitationId, which 2026-07-28 no longer has',
    when: ({ client, server, era }) => [client, server].includes('rust') && era === 'modern',
  },
  ...['elicitation, form', 'list changes'].map((check) => ({
    check,
    reason: 'FastMCP does not offer this to modern clients',
    when: ({ server, era }) => server === 'fastmcp' && era === 'modern',
  })),
  ...['progress', 'logging', 'cancel', 'elicitation, form', 'list changes'].map((check) => ({
    check,
    reason:
      'FastMCP drops messages that do not fit into a JSON response, and does not notice that its client disconnected',
    when: ({ server, transport, era }) =>
      server === 'fastmcp' && transport === 'http-json' && !(check === 'cancel' && era === 'legacy'),
  })),
  ...TASK_CHECK_NAMES.map((check) => ({
    check,
    reason: 'FastMCP sends the requests of tasks without the Mcp-Name header, which 2026-07-28 demands over HTTP',
    when: ({ client, transport }) => client === 'fastmcp-tasks' && transport.startsWith('http-'),
  })),
  ...['tool error in a task', 'protocol error in a task'].map((check) => ({
    check,
    reason:
      'the client throws its own error for a failed task of 2025-11-25, without the message of the tool or of the error',
    when: ({ client, era }) =>
      ['official-v1-tasks', 'ext-tasks', 'inspector-tasks'].includes(client) && era === 'legacy',
  })),
  {
    check: 'question in a task',
    reason:
      'ext-tasks polls a task of 2025-11-25 that waits for input, and does not call tasks/result, where the question comes',
    when: ({ client, era }) => client === 'ext-tasks' && era === 'legacy',
  },
  {
    check: 'protocol error in a task',
    reason: 'tools of the official SDK v1 have no way to end a task with an error of the protocol',
    when: ({ server }) => server === 'official-v1-tasks',
  },
  {
    check: 'question in a task',
    reason:
      'the official server drops the question of a task where tasks/result has a JSON response; its own client waits for it too',
    when: ({ server, transport }) => server === 'official-v1-tasks' && transport === 'http-json',
  },
  ...['question in a task', 'cancel a task'].map((check) => ({
    check,
    reason:
      'the Rust SDK reports an unexpected response type for the acknowledgement, of other servers than its own too',
    when: ({ client }) => client === 'rust-tasks',
  })),
  ...['subscriptions', 'list changes'].map((check) => ({
    check,
    reason:
      'a proxy gives each call of an unknown modern client over HTTP a legacy session of its own, and these servers tell a session of its own changes',
    when: ({ transport, era, back }) => transport.startsWith('http') && era === 'modern' && back?.era === 'legacy',
  })),
  {
    check: 'list changes',
    reason: 'the Python SDK announces changes of lists without declaring it, so that no modern client is promised any',
    when: ({ server, era, back }) => server === 'python' && era === 'modern' && back?.era === 'legacy',
  },
  {
    check: 'progress',
    reason: 'the Go SDK delivers no progress of a modern request with a JSON response',
    when: isModernJsonFromGo,
  },
  {
    check: 'logging',
    reason: 'the Go SDK delivers no log message of a modern request with a JSON response',
    when: isModernJsonFromGo,
  },
  {
    check: 'progress',
    reason: 'the official servers drop progress of a request with a JSON response',
    when: isJsonFromOfficial,
  },
  {
    check: 'logging',
    reason: 'the official servers drop log messages of a request with a JSON response',
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
