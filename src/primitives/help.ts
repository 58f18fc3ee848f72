// Where the page about an error is: errors carry a path, and the text of the page stays out of bundles.

/** The name of a page about an error, in `docs/errors` of the package. Stays the same between releases. */
export type ErrorSlug =
  | 'address-not-available'
  | 'backend-failed'
  | 'bad-backend'
  | 'bad-command'
  | 'bad-definition'
  | 'bad-extension'
  | 'bad-header'
  | 'bad-json-schema'
  | 'bad-name'
  | 'bad-openapi'
  | 'bad-secret'
  | 'bad-server-config'
  | 'bad-skill'
  | 'bad-target'
  | 'bad-uri'
  | 'bad-uri-template'
  | 'bad-view'
  | 'command-not-found'
  | 'connection-lost'
  | 'connection-refused'
  | 'duplicate-name'
  | 'extension-missing'
  | 'forbidden'
  | 'header-mismatch'
  | 'host-not-found'
  | 'host-unreachable'
  | 'http-error'
  | 'input-not-a-schema'
  | 'invalid-result'
  | 'limit-reached'
  | 'listen-not-supported'
  | 'login-failed'
  | 'method-not-found'
  | 'missing-client-capability'
  | 'no-back-channel'
  | 'not-a-function'
  | 'not-an-mcp-server'
  | 'not-json'
  | 'output-mismatch'
  | 'package-missing'
  | 'port-in-use'
  | 'question-changed'
  | 'raw-shape'
  | 'redirect-refused'
  | 'resource-not-found'
  | 'rounds-exceeded'
  | 'schema-cannot-describe-itself'
  | 'scopes-missing'
  | 'server-exited'
  | 'server-name-missing'
  | 'server-silent'
  | 'skill-mismatch'
  | 'state-refused'
  | 'stdout-polluted'
  | 'subscription-lost'
  | 'task-cancelled'
  | 'task-gone'
  | 'task-pending'
  | 'timeout'
  | 'tls'
  | 'unauthorized'
  | 'unexpected-result-type'
  | 'unknown-option'
  | 'unknown-prompt'
  | 'unknown-tool'
  | 'url-elicitation-required'
  | 'version-unsupported'
  | 'wrong-argument'
  | 'wrong-option'
  | 'wrong-order'
  | 'wrong-result'

/** The page in the package. */
export function helpFor(slug: ErrorSlug): string {
  return `mcpwire/docs/errors/${slug}.md`
}

/** Gives an error its `help`, which is not enumerable: it is in no log line and in no JSON. */
export function withHelp<Failure extends object>(slug: ErrorSlug, error: Failure): Failure {
  return setHelp(error, helpFor(slug))
}

/** A value of the wrong kind, or one that fits no other. `slug` is the page about it. */
export function typeError(slug: ErrorSlug, message: string, options?: { cause?: unknown }): TypeError {
  return thrownBy(typeError, withHelp(slug, new TypeError(message, options)))
}

/** A value out of range. `slug` is the page about it. */
export function rangeError(slug: ErrorSlug, message: string, options?: { cause?: unknown }): RangeError {
  return thrownBy(rangeError, withHelp(slug, new RangeError(message, options)))
}

/** A call at the wrong time: before something was opened, after it was closed, or twice. */
export function orderError(message: string): Error {
  return thrownBy(orderError, withHelp('wrong-order', new Error(message)))
}

const { captureStackTrace } = Error as { captureStackTrace?(error: object, below: unknown): void }

/** The stack begins where the error is thrown, not in the function that made it. */
function thrownBy<Failure extends Error>(maker: unknown, error: Failure): Failure {
  captureStackTrace?.(error, maker)
  return error
}

/** Gives an error the `help` of its cause, or that of `otherwise`. */
export function withHelpOf<Failure extends object>(cause: unknown, otherwise: ErrorSlug, error: Failure): Failure {
  return setHelp(error, helpOf(cause) ?? helpFor(otherwise))
}

function setHelp<Failure extends object>(error: Failure, help: string): Failure {
  return Object.defineProperty(error, 'help', { value: help, configurable: true, writable: true })
}

/** Of an error, or of the nearest of its causes that has one. */
export function helpOf(error: unknown): string | undefined {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const { help } = current as { help?: unknown }
    if (typeof help === 'string') return help
    current = current.cause
  }
  return undefined
}
