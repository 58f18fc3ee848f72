// What an extension can do on the client: finish calls, own methods, filters and notifications.
import type { RequirementTable } from './entry.ts'
import { DIRECT, LEGACY, MODERN } from './scopes.ts'

export const CLIENT_EXTENSIONS = {
  'client-extension:claim:options': {
    ...MODERN,
    source: 'extensions digest 3.14',
    text: 'What finishes a call gets what is left of its time, its signal, its callbacks and the options that only extensions read.',
  },
  'client-extension:claim:time-in-all': {
    ...MODERN,
    source: 'extensions digest 3.14, X-36',
    text: 'A call ends at its maxTotalMs, whatever an extension does to finish it, and a failure after that is reported.',
  },
  'client-extension:claim:abort': {
    ...MODERN,
    source: 'extensions digest X-25, X-33',
    text: 'A call that is aborted rejects at once, and the extension can still clean up on the server.',
  },
  'client-extension:claim:close': {
    ...MODERN,
    source: 'extensions digest X-33',
    text: 'A client that closes ends the calls of extensions, and waits until they have cleaned up.',
  },
  'client-extension:claim:close-bounded': {
    ...DIRECT,
    source: 'extensions digest X-33',
    text: 'A client that closes waits no longer than a second for an extension that does not end.',
  },
  'client-extension:claim:questions': {
    ...MODERN,
    source: 'extensions digest 3.6, X-28',
    text: 'An extension has questions of the server answered by the callbacks, each by itself.',
  },
  'client-extension:claim:question-checks': {
    ...MODERN,
    source: 'extensions digest 3.6, T-37',
    text: 'A question that an extension passes on gets the checks of any question: capability, form and answer.',
  },
  'client-extension:claim:result-form': {
    ...MODERN,
    source: 'extensions digest T-40',
    text: 'A result that an extension gives is checked like one of the server, by its form too.',
  },
  'client-extension:claim:result-in-hand': {
    ...DIRECT,
    source: 'extensions digest X-36',
    text: 'A result that an extension has given is not lost when tools/list is not answered within the time of the call.',
  },
  'client-extension:request:taken-name': {
    source: 'extensions digest 3.14, X-34',
    text: 'A method that another revision has is sent in the revisions in which an extension owns it, and refused in the rest.',
  },
  'client-extension:request:vendor': {
    source: 'extensions digest 3.14',
    text: "A vendor's method that its extension has in some revisions is sent there only.",
  },
  'client-extension:request:result': {
    source: 'extensions digest 3.14, T-32',
    text: 'The result of a method of an extension is finished and recognised by the extension, or the request rejects.',
  },
  'client-extension:request:name-param': {
    source: 'extensions digest T-34, C-TASK-04',
    text: 'The name that an extension says of its method is checked, and repeated in the header over HTTP.',
  },
  'client-extension:request:not-cached': {
    source: 'extensions digest T-41',
    text: 'The result of a method of an extension is never cached, whatever members it has.',
  },
  'client-extension:request:conflicts': {
    source: 'extensions digest 3.14',
    text: 'A method of the specification, one with two owners and one that cannot work are found when the client is created.',
  },
  'client-extension:filter:events': {
    ...MODERN,
    source: 'extensions digest 3.8, 3.14, X-35',
    text: 'A subscription asks for the keys of an extension, and delivers its notifications as events.',
  },
  'client-extension:filter:granted': {
    ...MODERN,
    source: 'extensions digest 3.8',
    text: 'A subscription says which keys of an extension the server granted, and drops notifications for others.',
  },
  'client-extension:filter:newest-waits': {
    ...MODERN,
    source: 'extensions digest 3.8',
    text: 'Of several notifications for one key that nobody has read, the newest waits.',
  },
  'client-extension:filter:binding': {
    ...MODERN,
    source: 'extensions digest 3.14',
    text: 'The binding of an extension gets its notification with the subscription that it belongs to, after the subscription.',
  },
  'client-extension:filter:unknown': {
    source: 'extensions digest 3.14, X-35',
    text: 'A member of a filter that no extension owns is an error that names the known ones.',
  },
  'client-extension:filter:legacy': {
    ...LEGACY,
    source: 'extensions digest 3.14',
    text: 'A legacy connection has no filters of extensions, and says so without a request.',
  },
  'client-extension:filter:conflicts': {
    source: 'extensions digest 3.14',
    text: 'A filter of the specification, one with two owners and one that cannot work are found when the client is created.',
  },
  'call:patience': {
    source: 'extensions digest 7.5 point 1',
    text: 'A tools/call carries how long its caller waits: its maxTotalMs, else its timeoutMs; other requests do not.',
  },
  'call:patience:rounds': {
    ...MODERN,
    source: 'extensions digest 7.5 point 6',
    text: 'A further round of a call carries what is left of its maxTotalMs.',
  },
  'call:within': {
    source: 'extensions digest 7.5 point 5',
    text: 'A call within other work gets the rest of its time, beside its own limits, and ends with its signal.',
  },
  'call:within:handler': {
    source: 'extensions digest 7.5 point 5',
    text: 'A handler of a server hands the rest of its time to a call of another server.',
  },
} as const satisfies RequirementTable
