// Calling: ids, answers, messages, errors, notifications and what stands around them.
import type { RequirementTable } from './entry.ts'
import { CHANNEL, LEGACY, MODERN } from './scopes.ts'

export const CALLING = {
  // Ids.
  'rpc:ids:unique': {
    source: 'B-RPC-02, B-RPC-04, B-RPC-05, DI-03',
    text: 'Ids are integers, and no two requests of a client have the same.',
    ...CHANNEL,
  },
  'rpc:ids:custom': { source: 'DI-04', text: "An id of the caller's choice goes out as it is." },
  'fault:F046:ids-at-the-edge': {
    source: 'F046, R41',
    text: 'Zero, the empty text, negative and very large ids work.',
  },
  'rpc:ids:custom-must-be-ids': { source: 'B-RPC-03, pitfall 2', text: 'What is no id is not sent as one.' },
  'rpc:ids:collision': {
    source: 'DI-04, B-RPC-04',
    text: 'An id that is in flight is refused here, and its call goes on.',
  },
  'rpc:ids:minted-around-custom': {
    source: 'pitfall 3, DI-03',
    text: 'Ids of our own go around those that a caller chose.',
  },
  'fault:F043:ids-as-text': {
    source: 'F043, pitfall 1, DI-05',
    text: 'A plain decimal text matches its number, and nothing that merely looks so.',
    ...CHANNEL,
  },
  'rpc:ids:echoed-as-they-are': {
    source: 'B-RPC-06, pitfall 1',
    text: 'An answer repeats the id with its value and type.',
    ...CHANNEL,
  },
  'fault:F045:ids-that-are-none': {
    source: 'F045, F047, B-RPC-03, pitfall 2, pitfall 33',
    text: 'A request with an unusable id is refused without one, and not run.',
    ...CHANNEL,
  },
  'fault:F044:duplicate-id': {
    source: 'F044, R57',
    text: "A second request of an id in flight is refused and cannot take the first one's answer.",
    ...CHANNEL,
  },

  // Answers.
  'fault:F049:answer-with-both-or-neither': {
    source: 'F049, B-RPC-07, B-RPC-08',
    text: 'An answer must have a result or an error, of the right form.',
    ...CHANNEL,
  },
  'fault:F041:unmatched-response': {
    source: 'F041, pitfall 7, DI-31',
    text: 'An answer to nothing is reported and does no harm.',
    ...CHANNEL,
  },
  'fault:F042:second-response': { source: 'F042, pitfall 6', text: 'Of two answers the first one counts.', ...CHANNEL },
  'fault:F048:error-without-id': {
    source: 'F048, B-RPC-11, pitfall 36',
    text: 'An error without an id is reported and does no harm.',
    ...CHANNEL,
  },
  'rpc:answer:during-the-write': {
    source: 'pitfall 5',
    text: 'An answer that comes while the request is being written finds its call.',
    ...CHANNEL,
  },
  'fault:F069:result-of-the-wrong-form': {
    source: 'F069, CS-15',
    text: 'A result of the wrong form is refused with the place, never with the content.',
    ...CHANNEL,
  },
  'fault:F065:result-that-json-cannot-say': {
    source: 'F065, DI-27',
    text: 'A result that cannot be said is answered with an error, and others are not affected.',
    ...CHANNEL,
  },
  'rpc:answers:find-their-calls': { source: 'B-RPC-06', text: 'Answers find their calls in whatever order they come.' },
  'rpc:answers:clients-do-not-mix': {
    source: 'R06, S-VER-08',
    text: "Two clients with equal ids never read each other's answers.",
  },
  'rpc:raw:messages-past-the-bookkeeping': {
    source: 'B-RPC-01, DI-31',
    text: 'A raw message goes out as it is, and its answer reaches `onFault`.',
    ...LEGACY,
  },

  // Messages.
  'fault:F050:other-jsonrpc': {
    source: 'F050, B-RPC-01',
    text: 'A request that is no JSON-RPC 2.0 is refused.',
    ...CHANNEL,
  },
  'fault:F054:methods-that-are-none': {
    source: 'F054',
    text: 'A method that is no text is refused, and a long one is not repeated.',
    ...CHANNEL,
  },
  'fault:F055:methods-named-like-members': {
    source: 'F055, R46',
    text: 'Methods named like members of an object are unknown.',
  },
  'fault:F056:params-that-are-none': { source: 'F056', text: 'Params that are no object are refused.', ...CHANNEL },
  'fault:F059:prototype-keys-are-data': { source: 'F059', text: 'Keys that could reach a prototype are data.' },
  'rpc:params:absent-count-as-empty': { source: 'LS-04', text: 'Absent params count as empty ones.', ...CHANNEL },
  'rpc:params:malformed-before-unknown': {
    source: 'pitfall 29, RU-01',
    text: 'Malformed params of a known method are told before the want of a handler.',
    ...CHANNEL,
  },
  'rpc:params:peer-content-stays-out-of-errors': {
    source: 'pitfall 35, R35',
    text: 'A refusal names the place and never repeats what the peer wrote.',
    ...CHANNEL,
  },
  'rpc:notification:never-answered': {
    source: 'B-RPC-10',
    text: 'A notification is never answered, however wrong it is.',
    ...CHANNEL,
  },
  'rpc:batch:one-revision-only': {
    source: 'B-RPC-12, B-RPC-13, F051',
    text: 'A batch is served at 2025-03-26 and refused everywhere else.',
    ...CHANNEL,
  },
  'fault:F052:batch-with-a-bad-element': {
    source: 'F052',
    text: 'A bad element of a batch costs only itself.',
    ...CHANNEL,
  },
  'fault:F053:batch-with-initialize': {
    source: 'F053, C-LIFE-08',
    text: 'A batch with `initialize` agrees on nothing, and each of its requests is answered by its id.',
    ...LEGACY,
  },
  'rpc:method:unknown': { source: 'B-RPC-15, S-DISC-03', text: 'An unknown method is answered so by the server.' },
  'rpc:vendor:both-ways': { source: 'CS-07, LS-03', text: 'Methods of a vendor go and come as they are.' },
  'rpc:vendor:name-param': { source: 'IN', text: 'The member that HTTP repeats in a header must be a text.' },
  'rpc:spec:typed-by-method': {
    source: 'CN-06',
    text: 'A method of the specification types its params and its result.',
  },
  'rpc:json:other-failures': {
    source: 'pitfall 34',
    text: 'Numbers and nesting beyond all bounds are refused before they are parsed.',
    transports: ['stdio'],
  },
  'rpc:http:answer-that-never-comes': {
    source: 'pitfall 37',
    text: 'A request that ends without an answer fails.',
    transports: ['fetch'],
  },
  'rpc:http:error-after-the-stream-began': {
    source: 'pitfall 39',
    text: 'An error after a stream has begun comes as an event of it.',
    transports: ['fetch'],
  },
  'rpc:http:order-of-stored-events': {
    source: 'pitfall 14, pitfall 15',
    text: 'Events are stored in the order in which they are sent, and one stream does not hold up the others.',
    eras: ['legacy'],
    transports: ['fetch'],
  },

  // Errors.
  'errors:server:mcp-error-is-the-answer': {
    source: 'DI-24, B-RPC-08',
    text: 'An `MCPError` that a handler throws is the answer.',
  },
  'errors:server:data-only-where-given': {
    source: 'B-RPC-08, B-RPC-14',
    text: 'An error without data has none on the wire.',
    ...CHANNEL,
  },
  'fault:F070:exception-is-hidden': {
    source: 'F070, R35',
    text: 'Whatever else a handler throws is hidden from the peer and reported here.',
  },
  'fault:F071:anything-can-be-thrown': { source: 'F071', text: 'The strangest values can be thrown.' },
  'fault:F071:thrown-by-a-tool': {
    source: 'F071, F070',
    text: 'Whatever a tool throws is an isError result, with and without exposeErrors.',
  },
  'fault:F072:thrown-before-the-first-await': { source: 'F072', text: 'It does not matter when a handler throws.' },
  'errors:server:local-errors-stay-here': {
    source: 'B-RPC-20, B-RPC-16',
    text: 'Our own timeouts and closed connections say nothing to the peer.',
  },
  'errors:server:invalid-result': {
    source: 'RU-08',
    text: 'A result that the revision does not allow is a failure of the server, told to its author.',
  },
  'errors:server:missing-capability': {
    source: 'S-VER-05, S-VER-04',
    text: 'A handler can name the capability that a request lacks.',
    ...MODERN,
  },
  'errors:server:odd-codes-of-a-client': {
    source: 'B-RPC-08',
    text: 'An error with a code that is no integer fails the question alone.',
    ...LEGACY,
  },
  'errors:client:peer-codes-are-not-ours': {
    source: 'B-RPC-17, B-RPC-20',
    text: 'The codes of our own failures mean nothing special from a peer.',
    ...CHANNEL,
  },
  'errors:client:ours-are-local': { source: 'B-RPC-20', text: 'A timeout and a closed connection are local.' },
  'errors:client:typed-by-code': {
    source: 'ER',
    text: 'An error of the specification comes as its class, if its data fits.',
    ...CHANNEL,
  },
  'errors:callback:mcp-error-is-the-answer': {
    source: 'CS-11',
    text: 'An `MCPError` that a callback throws is the answer.',
    ...LEGACY,
  },
  'fault:F070:callback-exception-is-hidden': {
    source: 'F070, CS-11',
    text: 'Whatever else a callback throws is hidden from the server and reported here.',
    ...LEGACY,
  },
  'fault:F093:question-nobody-declared': {
    source: 'F093, CS-09, CS-10',
    text: 'A question that the client did not declare reaches no user code.',
    ...LEGACY,
  },
  'fault:F087:fault-listener-throws': {
    source: 'F087',
    text: 'A listener for faults that throws is said once and does no harm.',
  },

  // Notifications.
  'notify:client:in-order-before-the-answer': {
    source: 'pitfall 8, DI-13, DI-40',
    text: 'Notifications arrive in order, and before the answer that was sent after them.',
  },
  'notify:server:in-order-before-the-request': {
    source: 'DI-10',
    text: 'A server starts notifications in order, and before the request that was sent after them.',
  },
  'notify:client:log-then-message': { source: 'CS-13', text: 'A log message goes to `onLog` and then to `onMessage`.' },
  'notify:client:failed-log-still-a-message': { source: 'CS-13', text: 'An `onLog` that fails costs only itself.' },
  'notify:client:callbacks-may-call': { source: 'CS-12, CS-14', text: 'A callback may call the server.' },
  'notify:client:malformed-is-dropped': {
    source: 'CS-13',
    text: 'A malformed notification is dropped and reported.',
    ...CHANNEL,
  },
  'fault:F067:unknown-is-ignored': { source: 'F067, CS-13', text: 'An unknown notification is ignored.', ...CHANNEL },
  'notify:server:malformed-is-dropped': {
    source: 'RU-04',
    text: 'A server drops a malformed notification and reports it.',
    ...CHANNEL,
  },
  'notify:server:dropped-before-the-handshake': {
    source: 'RU-04',
    text: 'A notification before the handshake is dropped.',
    ...LEGACY,
  },
  'notify:client:not-in-this-revision': {
    source: 'C-LIFE-06, B-TR-03',
    text: 'A notification that the revision does not have fails here.',
  },
  'notify:server:not-in-this-revision': {
    source: 'S-LIFE-05',
    text: 'A server sends no notification that the revision does not have.',
  },
  'notify:server:after-the-handler': {
    source: 'DI-33, CN-07, CN-08',
    text: 'After its handler a request sends nothing more, the connection still does.',
  },
  'fault:F086:client-callback-fails': {
    source: 'F086',
    text: 'A callback that throws, rejects or never ends costs only itself.',
  },
  'fault:F086:server-handler-fails': {
    source: 'F086, RU-04',
    text: 'A notification handler that throws, rejects or never ends costs only itself.',
  },
  'fault:F085:flood': { source: 'F085', text: 'A flood of notifications is bounded, and calls get through.' },

  // Middleware.
  'middleware:server:sees-everything': {
    source: 'LS-10',
    text: 'Middleware of a server sees every request and notification, unknown ones too.',
  },
  'middleware:server:first-is-outermost': {
    source: 'LS-10',
    text: 'The first middleware of a server is the outermost, one that is added goes inside.',
  },
  'middleware:server:refuses': { source: 'LS-10', text: 'Middleware of a server can refuse.' },
  'middleware:server:rewrites': { source: 'LS-10', text: 'Middleware of a server can rewrite params and result.' },
  'middleware:server:answers': {
    source: 'LS-10, RU-10',
    text: 'Middleware of a server can answer, and its answer is its own.',
  },
  'middleware:server:answers-with-nothing': {
    source: 'RU-06',
    text: 'Middleware that answers a request with nothing is a failure of the server.',
  },
  'middleware:server:sees-failures': {
    source: 'pitfall 40, RU-05',
    text: 'Middleware of a server sees what the handler throws and what is wrong with its result.',
  },
  'middleware:server:around-notifications': {
    source: 'LS-10',
    text: 'Middleware of a server can refuse, drop and rewrite notifications.',
  },
  'middleware:server:handshake-commits-at-the-end': {
    source: 'RU-03',
    text: 'Nothing is agreed before the whole chain has let the handshake pass.',
    ...LEGACY,
  },
  'middleware:server:handshake-commits-the-answer': {
    source: 'RU-03',
    text: 'What is agreed is what the answer says.',
    ...LEGACY,
  },
  'middleware:server:added-while-serving': {
    source: 'LS-10',
    text: 'Middleware that is added while a server serves counts from then on.',
  },
  'middleware:client:sees-every-request': {
    source: 'LS-10',
    text: 'Middleware of a client sees every request, the first one too.',
  },
  'middleware:client:first-is-outermost': {
    source: 'LS-10',
    text: 'The first middleware of a client is the outermost.',
  },
  'middleware:client:notifications': {
    source: 'api section 3; LS-10',
    text: 'Middleware of a client can stand around notifications too, rewrite them and hold them back.',
  },
  'middleware:client:refuses': { source: 'LS-10', text: 'Middleware of a client can refuse, and nothing is sent.' },
  'middleware:client:rewrites': {
    source: 'LS-10',
    text: 'Middleware of a client can rewrite params, options and result.',
  },
  'middleware:client:answers': {
    source: 'LS-10, CS-15',
    text: 'Middleware of a client can answer, and is held to the rules of the revision.',
  },
  'middleware:client:before-the-stamps': {
    source: 'CS-07',
    text: 'Middleware of a client sees a request before anything is stamped on it.',
  },
  'middleware:client:tries-again': {
    source: 'B-RPC-04',
    text: 'Middleware of a client can send a request again, which then has a new id.',
  },
  'middleware:client:cancels-what-it-sent': {
    source: 'C-CAN-01',
    text: 'Middleware of a client can cancel what it sent.',
  },
} as const satisfies RequirementTable
