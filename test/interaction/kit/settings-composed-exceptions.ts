// What is shown through proxies and mounts, and what cannot be, each with its reason.
import type { RequirementId } from '../requirements/index.ts'

export type ComposedWay = 'proxied' | 'bridged' | 'mounted'

/** The areas of the manifest that are about features. The others are about one connection: how it opens, what crosses it and how it ends. */
const AREAS: ReadonlySet<string> = new Set([
  'tools',
  'output',
  'resources',
  'logging',
  'content',
  'pages',
  'progress',
  'errors',
  'completion',
  'prompts',
  'mcpserver',
  'elicit',
  'sampling',
  'roots',
  'callback',
  'cancel',
  'changes',
  'notify',
  'calls',
  'call',
  'isolation',
  'url',
  'resolve',
  'mrtr',
])

/** What `npm test` shows of it. */
const SHORT_AREAS: ReadonlySet<string> = new Set(['tools', 'prompts', 'elicit'])

type Reasons = Readonly<Partial<Record<RequirementId, string>>>

const OTHER_ERA = 'the server of the test speaks to its client in the form of the era of the setting'

const AREAS_OTHERWISE: Readonly<Partial<Record<ComposedWay, Readonly<Record<string, string>>>>> = {
  bridged: {
    mrtr: 'the server of the test makes its rounds by hand, which only one of the eras has',
    url: OTHER_ERA,
  },
}

const OWN_TOKENS = 'the proxy has tokens and ids of its own, so that those of several callers never meet'
const LISTS_TOO = 'the proxy lists too, for the headers that arguments of a tool go into'
const OPENS_LATE = 'the proxy opens its connection with the first call, and what is cancelled before never leaves'
const NO_TURN = 'a tool that never waits leaves the others in its thread no turn'
const RUNS_ONCE = 'a handler runs once for all rounds, or once for each, as the era of the server has it'
const STATE_OF_THE_PROXY = 'the state of a round is that of the proxy, as the call stays open at the server'
const ONLY_LISTED = 'calls reach what the mounted server lists, and the server of the test lists none of it'
const IN_FRONT = 'the server in front reports the faults of its requests, and seals the states of its callers'

const ONE_LISTENER = 'the server counts its listeners, and what is in front is one of them for all clients'
const SIGNED = 'the test signs the channel of the server itself, which is not that of its client'

const OF_ANY_PROXY: Reasons = {
  'progress:client:token-where-asked-for': OWN_TOKENS,
  'output:unlisted-tool-is-looked-up-once': LISTS_TOO,
  'output:tool-in-no-listing': LISTS_TOO,
  'output:missing-structure-of-an-unlisted-tool': LISTS_TOO,
  'calls:crowd:cancellation-is-heard': OPENS_LATE,
  'cancel:server:middleware-sees-it': OWN_TOKENS,
  'mcpserver:results:iterator-stops-when-cancelled': NO_TURN,
  ...forAll(SIGNED, [
    'mcpserver:context:auth',
    'mcpserver:scopes:hidden-and-refused-with-what-is-needed',
    'mcpserver:visible:hides-in-lists',
  ]),
}

const OTHERWISE: Readonly<Record<ComposedWay, Reasons>> = {
  proxied: {
    ...OF_ANY_PROXY,
    'mrtr:retry:new-id': OWN_TOKENS,
  },
  bridged: {
    ...OF_ANY_PROXY,
    ...forAll(OTHER_ERA, [
      'completion:at-most-100',
      'content:unknown-members-are-kept',
      'elicit:form:alias',
      'elicit:form:mode-not-declared-not-sent',
      'elicit:form:not-declared-not-sent',
      'elicit:revision:since-2025-06-18',
      'errors:callback:mcp-error-is-the-answer',
      'call:patience:rounds',
      'changes:handshake:by-the-session',
      'cancel:server:takes-its-question-back',
      'mcpserver:ask:capability-missing',
      'mcpserver:ask:misfitting-answer',
      'mcpserver:ask:own-result',
      'mcpserver:context:members',
      'mcpserver:context:read-resource',
      'mcpserver:output:listed-as-the-revision-allows',
      'mcpserver:output:sent-as-listed',
      'mcpserver:requires:checked-before-the-handler',
      'mcpserver:tools:url-required',
      'notify:server:not-in-this-revision',
      'output:any-json-value',
      'output:null-is-a-value',
      'progress:client:reports-to-the-server',
      'roots:changed:server-asks-again',
      'roots:list:has-params',
      'roots:list:not-declared-not-sent',
      'roots:list:verb',
      'sampling:ask:client-refuses-undeclared',
      'sampling:ask:not-declared-not-sent',
      'sampling:content:known-to-the-revision',
      'sampling:context:not-declared-not-sent',
      'sampling:refusal:reaches-the-server',
      'sampling:rules:client-refuses-broken',
      'sampling:rules:every-result-has-its-use',
      'sampling:rules:every-use-has-its-result',
      'sampling:rules:ids-differ',
      'sampling:rules:results-stand-alone',
      'sampling:rules:roles',
      'sampling:tools:client-refuses-undeclared',
      'sampling:tools:history-keeps-meta',
      'sampling:tools:not-declared-not-sent',
      'sampling:tools:round-trip',
    ]),
    'changes:nobody-left-behind': ONE_LISTENER,
    'isolation:I7:cancel-reaches-its-own': OPENS_LATE,
    ...forAll(RUNS_ONCE, [
      'mcpserver:ask:closing-what-is-open',
      'mcpserver:ask:nondeterministic',
      'mcpserver:ask:patience',
      'mcpserver:ask:together-in-one-round',
      'resolve:mcpserver:straight-line-code',
    ]),
    ...forAll(STATE_OF_THE_PROXY, [
      'mcpserver:state:forged',
      'mcpserver:state:store',
      'mcpserver:state:store-forgets',
      'mcpserver:state:too-large',
      'resolve:mcpserver:answers-only-when-asked',
      'resolve:mcpserver:pinned-to-the-question',
      'resolve:mcpserver:stable-keys',
    ]),
    ...forAll('modern servers send log messages to those alone who have said which', [
      'logging:content',
      'logging:handshake:everything-at-first',
      'logging:handshake:level-of-one-connection',
      'logging:handshake:not-offered',
      'logging:listener-first-then-everybody',
      'notify:client:callbacks-may-call',
      'notify:client:failed-log-still-a-message',
      'notify:client:in-order-before-the-answer',
      'notify:client:log-then-message',
      'notify:server:after-the-handler',
    ]),
    ...forAll('on a pipe a log message of a legacy server names no request', [
      'logging:modern:calls-at-once',
      'logging:modern:only-on-the-way-of-the-request',
    ]),
    ...forAll('the code is that of the era of the caller', [
      'resources:read:missing-by-the-other-code',
      'resources:read:without-uri',
    ]),
    ...forAll('who subscribes is answered at once, and the subscription follows', [
      'resources:subscribe:long-uri',
      'resources:subscribe:many-bytes',
      'resources:subscribe:own-handlers',
    ]),
  },
  mounted: {
    'mcpserver:results:iterator-stops-when-cancelled': NO_TURN,
    'cancel:server:middleware-sees-it': 'the server in front takes the cancellations of its calls',
    'call:within:handler': 'the test mounts the server that it stands in front of, and has no limit of its own there',
    'changes:nobody-left-behind': ONE_LISTENER,
    'elicit:callback:knows-the-server': 'a caller knows the server in front',
    'output:missing-structure-of-an-unlisted-tool': LISTS_TOO,
    'output:unlisted-tool-is-looked-up-once': LISTS_TOO,
    'tools:list:input-schema-is-an-object':
      'a list that a mounted server fails to make is left out and reported (G010)',
    ...forAll(IN_FRONT, [
      'errors:server:local-errors-stay-here',
      'mcpserver:prompts:no-messages',
      'mcpserver:resources:no-json-form',
      'mcpserver:resources:reader-fails',
      'mcpserver:state:forged',
      'mrtr:cache:seeded-not-kept',
      'mrtr:seed:first-leg',
      'mrtr:seed:first-leg-only',
      'mrtr:session:returns-question',
      'resolve:mcpserver:answers-only-when-asked',
      'resources:read:failure',
    ]),
    ...forAll('the pages of a list with mounts are those of the server in front', [
      'pages:empty-string-leads-on',
      'pages:malformed-next-cursor',
      'pages:single',
    ]),
    ...forAll(SIGNED, [
      'mcpserver:context:auth',
      'mcpserver:scopes:hidden-and-refused-with-what-is-needed',
      'mcpserver:visible:hides-in-lists',
    ]),
    ...forAll(ONLY_LISTED, [
      'changes:modern:nothing-outside-listen',
      'completion:at-most-100',
      'completion:capability',
      'completion:context',
      'completion:order-and-totals',
      'completion:prompt',
      'mrtr:prompt:answers-and-retries',
      'mrtr:retry:parallel-calls-apart',
      'mrtr:server:only-three-methods',
      'output:tool-in-no-listing',
      'progress:client:token-where-asked-for',
      'prompts:get',
      'prompts:get:content',
      'prompts:get:invalid-message',
      'prompts:get:unknown',
      'prompts:get:without-arguments',
      'resources:read:missing-by-the-other-code',
      'resources:subscribe:own-handlers',
      'tools:call:unknown-tool',
    ]),
    ...forAll('the server in front has every list', [
      'completion:not-offered',
      'logging:handshake:not-offered',
      'prompts:not-offered',
      'resources:not-offered',
    ]),
  },
}

/** `undefined` where the entry holds. */
export function reasonAgainst(way: ComposedWay, id: RequirementId): string | undefined {
  const area = areaOf(id)
  if (!AREAS.has(area)) return 'it is about one connection'
  return AREAS_OTHERWISE[way]?.[area] ?? OTHERWISE[way][id]
}

export function isShort(id: RequirementId): boolean {
  return SHORT_AREAS.has(areaOf(id))
}

function areaOf(id: RequirementId): string {
  return id.slice(0, id.indexOf(':'))
}

function forAll(reason: string, ids: readonly RequirementId[]): Reasons {
  return Object.fromEntries(ids.map((id) => [id, reason]))
}
