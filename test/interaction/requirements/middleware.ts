// The middleware that comes with a server: what its limits are for and what they leave alone, and what those who watch see.
import type { RequirementTable } from './entry.ts'
import { LEGACY, MODERN } from './scopes.ts'

const SOURCE = { source: 'mcpwire' } as const

/** The first revision that has forms. */
const FORMS = { since: '2025-06-18' } as const

const RATE = {
  'limits:rate:refuses': {
    ...SOURCE,
    text: 'Calls that come faster than allowed are refused with 429 and the time to wait, each tool by itself.',
  },
  'limits:rate:leaves-the-rest-alone': {
    ...SOURCE,
    text: 'Opening a connection, lists, pings and notifications are never counted, however many clients there are.',
  },
  'limits:rate:named-methods': { ...SOURCE, text: 'Other requests count where the author names them.' },
  'limits:rate:asking-is-one-call': {
    ...SOURCE,
    ...FORMS,
    text: 'A call that asks is counted once, however many rounds it takes, and is not refused after a step has run.',
  },
  'limits:rate:state-brought-again': {
    ...SOURCE,
    ...MODERN,
    text: 'A state frees one round from being counted; whoever brings it again is counted.',
  },
  'limits:rate:forged-state': {
    ...SOURCE,
    ...MODERN,
    text: 'A state that nobody has verified frees nobody from the limit.',
  },
} as const satisfies RequirementTable

const SIZE = {
  'limits:size:refuses': {
    ...SOURCE,
    text: 'A result that is too large is replaced: for a model by a result that says so, for others by error 413.',
  },
  'limits:size:leaves-the-rest-alone': {
    ...SOURCE,
    text: 'What opens a connection and what lists is sent whatever its size, unless the author names it.',
  },
  'limits:size:questions': { ...SOURCE, ...FORMS, text: 'A question is no result, and is asked whatever its size.' },
} as const satisfies RequirementTable

const TIME = {
  'limits:time:refuses': {
    ...SOURCE,
    text: 'A call that takes too long is given up: its signal aborts, and the model reads why.',
  },
  'limits:time:not-while-asking': {
    ...SOURCE,
    ...FORMS,
    text: 'The time in which a user answers is not the time of the tool.',
  },
  'limits:time:leaves-the-rest-alone': {
    ...SOURCE,
    text: 'What opens or keeps a connection is never given up, nor a subscription.',
  },
} as const satisfies RequirementTable

const OF_EXTENSIONS = {
  'limits:methods-of-extensions': {
    source: 'X-23; extensions digest 3.14',
    text: 'A method of an extension is counted, measured or left without a time limit where the extension says so of it.',
  },
  'limits:methods-of-extensions:undeclared': {
    source: 'TQ-9',
    text: 'A client that did not declare an extension gets -32021 for its methods, however often it asks, and takes nothing of a limit.',
  },
} as const satisfies RequirementTable

const CONCURRENCY = {
  'limits:concurrency:refuses': {
    ...SOURCE,
    text: 'So many calls of a tool run at once, some wait for their turn, and the rest is refused with 503.',
  },
  'limits:concurrency:leaves-the-rest-alone': {
    ...SOURCE,
    text: 'What opens or keeps a connection and what lists needs no place, and a subscription takes none.',
  },
  'limits:concurrency:no-place-while-asking': {
    ...SOURCE,
    ...FORMS,
    text: 'A call takes no place while its question is being answered, and waits for one to go on.',
  },
  'limits:concurrency:further-round-waits': {
    ...SOURCE,
    ...MODERN,
    text: 'A call that has asked waits for its turn, however long the line.',
  },
} as const satisfies RequirementTable

const WATCHING = {
  'watching:log': {
    ...SOURCE,
    text: 'Each message is one line with method, name, time and outcome, and without its arguments.',
  },
  'watching:timing': { ...SOURCE, text: 'Each message is timed, and its outcome told, however it ended.' },
} as const satisfies RequirementTable

const QUESTIONS = {
  'middleware:server:around-sending': {
    source: 'LS-10',
    ...LEGACY,
    ...FORMS,
    text: 'Middleware of a server can stand around the requests that a handler sends, the first one outermost.',
  },
  'middleware:client:questions': {
    source: 'LS-10',
    ...FORMS,
    text: 'Middleware of a client can stand around what the server asks, refuse it, or answer it as a callback would.',
  },
} as const satisfies RequirementTable

export const MIDDLEWARE = {
  ...RATE,
  ...SIZE,
  ...TIME,
  ...OF_EXTENSIONS,
  ...CONCURRENCY,
  ...WATCHING,
  ...QUESTIONS,
} as const
