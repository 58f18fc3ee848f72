// Failures of calls: on the way, in the handler, and in what came back.
import type { CatalogueEntry } from './entry.ts'

export const CALL = {
  'unknown-tool': {
    class: 'MCPError',
    code: -32602,
    message: 'Unknown tool <name>',
    cause: 'The server has no tool of this name, has disabled it, or does not show it to this caller.',
    fix: ['List the tools with `client.listTools()`.', 'Check the spelling.'],
    onCommandLine: 'Use mcpwire list to see all tools.',
  },
  'unknown-prompt': {
    class: 'MCPError',
    code: -32602,
    message: 'Unknown prompt <name>',
    cause: 'The server has no prompt of this name, has disabled it, or does not show it to this caller.',
    fix: ['List the prompts with `client.listPrompts()`.', 'Check the spelling.'],
    onCommandLine: 'Use mcpwire list to see all prompts.',
  },
  'invalid-arguments': {
    class: 'Result with isError',
    message: 'Invalid arguments for tool <name>',
    cause: 'The arguments do not fit the input schema of the tool. The model reads the message and can correct itself.',
    causeOnCommandLine: 'The arguments do not fit what the server declares for the tool or the prompt.',
    fix: ['Correct the arguments that the message lists.', 'Check the input schema with `client.listTools()`.'],
    onCommandLine: 'Correct the arguments. Use mcpwire list to see what the tool takes.',
    also: ['The argument "<name>" must be of type <type>, not <value>.'],
  },
  'tool-failed': {
    class: 'Result with isError',
    message: 'The tool <name> failed',
    cause:
      'The handler threw an error that is not meant for the caller. The error itself is in the stderr of the server, or went to `onFault`.',
    fix: [
      'Read the stderr of the server.',
      'Throw `new ToolError(message)` where the model should read the message.',
      'Use `connect` of `mcpwire/testing` in tests: there the error reaches the caller.',
    ],
    onCommandLine: 'Read the stderr of the server.',
  },
  'output-mismatch': {
    class: 'TypeError',
    message: 'The tool returned a value that does not fit its output schema: <places>',
    cause: 'The value that the handler returned does not fit its `output` schema. Clients would reject it.',
    fix: ['Return what the schema describes, or correct the schema.'],
  },
  'not-json': {
    class: 'TypeError',
    message: 'The handler returned <value> has no JSON form<reason>. Return plain data instead.',
    cause:
      'Results travel as JSON. A bigint, a Map, a function, NaN or a value that contains itself cannot be written.',
    fix: [
      'Return plain data: strings for bigints, `Object.fromEntries(map)` for a Map.',
      'Use `image()` or `audio()` for bytes.',
    ],
  },
  timeout: {
    class: 'MCPError',
    code: -32001,
    message: "Request '<method>' timed out after <n> ms",
    cause:
      'No answer came in time. The client has cancelled the request. Each progress message restarts the timer, up to `maxTotalMs` in all.',
    fix: [
      'Raise `timeoutMs` of the call or of the client.',
      'Report progress in the handler with `ctx.reportProgress()`.',
      'Make a long call a task: add `tasks()` to both sides.',
    ],
    onCommandLine: 'Use --timeout to wait longer.',
  },
  'connection-lost': {
    class: 'MCPError',
    code: -32000,
    message: 'Connection closed',
    cause: 'The connection ended before the answer came. The server may have acted on the request.',
    fix: [
      'Connect again, and check what was done before you call again.',
      'Read the stderr of the server for why it ended.',
    ],
    onCommandLine: 'Run the command again. Read the stderr of the server if it ended.',
    also: [
      'the connection was cut; the server may have acted on the request',
      'the connection was cut while sending',
      "no response came before fetch's own timeout; pass a fetch with a longer one",
      "the stream was silent for longer than fetch's own timeout; pass a fetch with a longer one",
      'the connection failed; see the cause',
    ],
  },
  'limit-reached': {
    class: 'LimitError',
    message: 'is larger than the limit of <n> bytes',
    cause: 'A size or a count is above its limit. `error.limit` names the limit, `error.max` its value.',
    fix: ['Send less, in pages or pieces.', 'Raise the option that `error.limit` names.'],
  },
  'missing-client-capability': {
    class: 'MissingClientCapabilityError',
    code: -32021,
    message: 'This client cannot be asked: it did not declare <capability>.',
    cause: 'The handler asks the user or the model, and the client has no callback for that.',
    fix: [
      'Set `onElicitation`, `onSampling` or `onListRoots` of the client.',
      'In the handler, check `ctx.clientCapabilities` before you ask.',
    ],
    onCommandLine: 'Run the command in a terminal, where it can ask you.',
  },
  'no-back-channel': {
    class: 'NoBackChannelError',
    code: -32600,
    message: "Cannot send '<method>': this connection has no back-channel for requests from the server",
    cause:
      'On a modern connection the server sends no requests of its own, and after a call has ended, nothing waits for an answer.',
    fix: [
      'Ask with `ctx.elicit()`, `ctx.sample()` or `ctx.listRoots()`, which work in both eras.',
      'Await every question before the handler returns.',
    ],
  },
  'rounds-exceeded': {
    class: 'InputRequiredRoundsExceededError',
    message: 'The server still asks for input after <n> rounds; raise inputRequiredMaxRounds if that is expected',
    cause:
      'On a modern connection each question takes one more call. The client stops after `inputRequiredMaxRounds` of them.',
    fix: ['Ask for several fields in one form.', 'Raise `inputRequiredMaxRounds` of the client.'],
  },
  'question-changed': {
    class: 'MCPError',
    code: -32603,
    message: 'The call failed because its handler did not repeat its earlier questions',
    cause:
      'On a modern connection the handler runs again from the start with each answer. It has to ask the same questions in each run.',
    fix: ['Read the time, random values and external data inside `ctx.step()`, which runs once.'],
  },
  'state-refused': {
    class: 'MCPError',
    code: -32602,
    message: 'Invalid or expired requestState',
    cause:
      'The answers came too late, for another caller, or at a process with another key. A random key is lost on restart.',
    fix: [
      'Set `requestState.keys` to the same keys on all processes.',
      'Raise `requestState.ttlMs` if people need longer.',
    ],
  },
  'resource-not-found': {
    class: 'MCPError',
    code: -32002,
    message: 'Resource not found',
    cause: 'No resource and no template of the server has this URI. Since 2026-07-28 the code is -32602.',
    fix: ['List them with `client.listResources()` and `client.listResourceTemplates()`.'],
    onCommandLine: 'Use mcpwire list to see all resources.',
  },
  'method-not-found': {
    class: 'MCPError',
    code: -32601,
    message: 'Method not found: <method>',
    cause: 'The server does not have the feature, or the protocol revision of the connection does not have the method.',
    fix: ['Check `client.serverCapabilities` and `client.protocolVersion` before you call.'],
    onCommandLine: 'Use mcpwire list to see what the server offers.',
  },
  'invalid-result': {
    class: 'InvalidResultError',
    message: 'does not fit <what>',
    cause:
      'The peer answered with something that its schema or the protocol revision does not allow. `error.path` names the place.',
    fix: ['Report it to the author of the server.', 'For your own server, correct what the handler returns.'],
    onCommandLine: 'Report it to the author of the server.',
  },
  'subscription-lost': {
    class: 'SubscriptionLost',
    message: '<reason>',
    cause: 'The stream of changes ended unexpectedly. Changes may have been missed.',
    fix: ['Read the lists and resources again, then call `listen` again.'],
    onCommandLine: 'Run the command again.',
  },
  'listen-not-supported': {
    class: 'ListenNotSupportedError',
    message: 'at protocol revision <revision> it declares neither listChanged nor subscribe',
    cause: 'The server is legacy and does not announce changes.',
    fix: ['Read the lists again at intervals.'],
  },
  'unexpected-result-type': {
    class: 'UnexpectedClaimedResult',
    message: "The server answered with a '<type>' result; pass allowClaimed to receive it",
    cause: 'The result belongs to an extension, and `sendRequest()` bypasses the code that completes it.',
    fix: ['Call the tool with `client.callTool()`.', 'Or pass `allowClaimed: true` and complete the result yourself.'],
  },
  'url-elicitation-required': {
    class: 'UrlElicitationRequiredError',
    code: -32042,
    message: 'URL elicitation required',
    cause: 'The user has to visit a page first, for example to pay or to log in. `error.elicitations` has the pages.',
    fix: ['Show the URLs to the user, wait until the pages are done, then call again.'],
  },
  'header-mismatch': {
    class: 'MCPError',
    code: -32020,
    message: 'Header mismatch: <header>',
    cause:
      'Modern requests repeat parts of the body in headers. A proxy has removed or changed one, or a client does not send it.',
    fix: ['Let proxies pass headers that begin with `Mcp-`.', 'Update the client.'],
  },
  'scopes-missing': {
    class: 'MCPError',
    code: -32600,
    message: 'The caller does not have the required scopes',
    cause:
      'The tool, resource or prompt needs scopes that the token of the caller does not have. `error.data` lists them.',
    causeOnCommandLine: 'The tool, resource or prompt needs scopes that the token does not have.',
    fix: ['Get a token with these scopes.'],
    onCommandLine: 'Use a token with these scopes.',
  },
  'task-gone': {
    class: 'TaskGoneError',
    message: 'The server does not show the task <id>.',
    cause: 'The task has expired, was lost when the server restarted, or belongs to another caller.',
    fix: [
      'Check whether the work was done before you call the tool again.',
      'Raise `ttlMs`, or set `backend` on the server, so that tasks survive a restart.',
    ],
  },
  'task-cancelled': {
    class: 'TaskCancelledError',
    message: 'The task <id> was cancelled.',
    cause: 'This client, another one or the server cancelled the task.',
    fix: ['Call the tool again if the result is still needed.'],
  },
  'task-pending': {
    class: 'TaskPendingError',
    message: 'The task <id> <state>',
    cause: 'The wait ended before the task: after `leaveAfterMs`, or because the server could not be reached.',
    fix: ['Wait again with `error.job.result()`.', 'Or keep `error.job.reference` and resume the task later.'],
    onCommandLine: 'Use mcpwire tasks to get the result later.',
  },
  'skill-mismatch': {
    class: 'SkillMismatchError',
    message: "can't be used: <reason>",
    cause:
      'A file of the skill differs from its entry. The skill was changed on the server, or on the way. Nothing of it was used.',
    fix: ['Show `error.current` to the user and ask for approval again.'],
  },
  'backend-failed': {
    class: 'BackendError',
    message: '<operation> failed<reason>',
    cause:
      'The engine behind `backend` (Redis, SQLite, Postgres, NATS) cannot be reached, is too slow, or refuses. `error.kind` says which, `error.outcome` whether it may have been done all the same.',
    fix: [
      'Check that the engine runs, and the URL and password in your configuration.',
      'Retry where `error.kind` is `unavailable` or `timeout`.',
    ],
    onCommandLine: 'Check that the engine of the backend runs, and its URL.',
  },
  'wrong-argument': {
    class: 'TypeError',
    message: 'The first argument of <method>() is not a string but <kind>. Pass <argument>.',
    cause: 'A method got a value of the wrong kind, or one that is not allowed at this point of the call.',
    fix: ['Pass what the message says. Other SDKs take one object here.'],
    onCommandLine: 'Check the arguments.',
    also: ['Invalid params for <method>: <problem>'],
  },
  'wrong-order': {
    class: 'Error',
    message: 'The client is not open.',
    cause: 'A method was called before the object was opened, after it was closed, or a second time.',
    fix: ['Use `await Client.connect(target)`, which returns an open client.', 'Create a new object after `close()`.'],
  },
  'wrong-result': {
    class: 'TypeError',
    message: 'The <function> returned a value that is not <kind>. Return <values>.',
    cause: 'A function of yours, such as a handler or a callback, returned a value that cannot be used.',
    fix: ['Return what the message says. Check for a missing `await` or `return`.'],
  },
} as const satisfies Record<string, CatalogueEntry>
