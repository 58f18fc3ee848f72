// Giving up and parting: cancellation, progress, time, closing, and what lives how long.
import type { RequirementTable } from './entry.ts'
import { CHANNEL, DIRECT, LEGACY, MODERN, MODERN_CHANNEL } from './scopes.ts'

export const PARTING = {
  // Cancellation.
  'cancel:client:signal-aborts-handler': {
    source: 'S-CAN-01, DI-19',
    text: 'Aborting a call aborts the signal of its handler.',
  },
  'cancel:client:rejects-with-the-reason': {
    source: 'C-CAN-01',
    text: 'An aborted call rejects with the reason of its signal.',
  },
  'cancel:client:tells-the-server': {
    source: 'C-CAN-01, DI-16',
    text: 'A cancellation names the request, and says nothing of the reason.',
    ...CHANNEL,
  },
  'cancel:client:costs-only-itself': { source: 'C-CAN-03', text: 'A cancellation affects no other call.' },
  'cancel:client:nothing-after-the-answer': {
    source: 'C-CAN-01, C-CAN-03',
    text: 'A signal that aborts after the answer cancels nothing.',
  },
  'cancel:client:during-the-write': {
    source: 'pitfall 17',
    text: 'A request that is being written is cancelled like any other.',
    ...CHANNEL,
  },
  'cancel:client:id-used-again': {
    source: 'pitfall 11, DI-23',
    text: 'An id that is used again after a cancellation belongs to the new call.',
  },
  'cancel:client:callbacks-do-not-see-it': {
    source: 'pitfall 24, CS-13',
    text: 'A cancellation from the server is not shown to `onMessage`.',
    ...CHANNEL,
  },
  'cancel:client:own-calls-are-not-the-servers': {
    source: 'C-CAN-06, pitfall 25',
    text: 'A server cannot cancel a call of the client.',
    ...CHANNEL,
  },
  'cancel:server:takes-its-question-back': {
    source: 'S-CAN-06, CS-12',
    text: 'A server can take its question back, and the callback is told.',
    ...LEGACY,
  },
  'cancel:server:related-to-its-request': {
    source: 'pitfall 21, DI-34',
    text: 'A cancellation goes the way of the request that it belongs to.',
    ...LEGACY,
  },
  'cancel:server:middleware-sees-it': {
    source: 'pitfall 24, S-CAN-01',
    text: 'Middleware sees a cancellation after it was applied.',
  },
  'fault:F074:handler-returns-after-all': {
    source: 'F074, pitfall 16',
    text: 'A cancelled request is not answered when its handler returns after all.',
  },
  'fault:F075:handler-rejects-after-cancellation': {
    source: 'F075, pitfall 16',
    text: 'A cancelled request is not answered when its handler rejects.',
  },
  'fault:F076:answer-after-cancellation': {
    source: 'F076, C-CAN-02, pitfall 7',
    text: 'An answer that was on its way is dropped without a word.',
    ...CHANNEL,
  },
  'fault:F077:answer-and-abort-together': {
    source: 'F077, S-CAN-03, pitfall 6',
    text: 'A call settles once when answer and abort come together.',
  },
  'fault:F078:cancellation-of-nothing': {
    source: 'F078, S-CAN-02, DI-22',
    text: 'Unknown, finished and malformed cancellations are ignored.',
    ...CHANNEL,
  },
  'fault:F078:cancellation-by-another-client': {
    source: 'F078, C-CAN-01',
    text: 'A client cannot cancel the request of another.',
    ...CHANNEL,
  },
  'fault:F079:cancelled-while-in-line': {
    source: 'F079',
    text: 'A request that is cancelled while it waits in line is never started.',
  },
  'fault:F095:signal-aborted-already': {
    source: 'F095, pitfall 17',
    text: 'A signal that is aborted already sends nothing.',
  },
  'fault:F096:many-calls-on-one-signal': { source: 'F096', text: 'Many calls on one signal leave no listener behind.' },
  'cancel:http:resumption-suppresses-it': {
    source: 'pitfall 19',
    text: 'A request that can be resumed is not cancelled when it is given up.',
    eras: ['legacy'],
    transports: ['fetch'],
  },
  'cancel:http:closing-the-stream': {
    source: 'pitfall 22, C-HTTP-13, S-HTTP-15',
    text: 'In the modern era closing the stream of a request cancels it.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'cancel:http:disconnect-is-none': {
    source: 'pitfall 23, S-HTTPL-08',
    text: 'In the legacy era a disconnect cancels nothing.',
    eras: ['legacy'],
    transports: ['fetch'],
  },
  'cancel:http:handshake-post-ends': {
    source: 'pitfall 16, DI-21',
    text: 'A cancelled request of the legacy era still ends its POST.',
    eras: ['legacy'],
    transports: ['fetch'],
  },

  // Progress.
  'progress:client:in-order': { source: 'prog, S-PROG-06', text: 'Progress is told in order, with total and message.' },
  'fault:F083:progress-before-result': {
    source: 'F083, pitfall 9',
    text: 'All progress is told before the call resolves.',
  },
  'progress:client:token-with-every-tool-call': {
    source: 'DI-08',
    text: 'Every tool call asks for progress, so that it can be kept alive.',
  },
  'progress:client:token-where-asked-for': {
    source: 'DI-08',
    text: 'Other calls ask for progress where someone listens.',
  },
  'progress:client:token-of-its-own': { source: 'C-PROG-01', text: 'Each call has a token of its own.' },
  'fault:F082:progress-that-means-nothing': {
    source: 'F082, C-PROG-02, pitfall 2, DI-09',
    text: 'Progress that is unknown, late, no number or not growing is ignored.',
    ...CHANNEL,
  },
  'fault:F082:progress-in-masses': {
    source: 'F082',
    text: 'No progress is lost where someone listens, however much of it there is.',
  },
  'progress:client:callback-fails': {
    source: 'F082, DI-09',
    text: 'A callback for progress that throws is reported and costs only itself.',
  },
  'progress:client:messages-too': { source: 'DI-13', text: 'Progress reaches `onMessage` too.' },
  'progress:client:reports-to-the-server': {
    source: 'C-PROG-03',
    text: 'A client can report progress on a question of the server.',
    ...LEGACY,
  },
  'progress:client:reports-nothing-in-the-modern-era': {
    source: 'B-TR-03',
    text: 'A client of the modern era reports no progress.',
    ...MODERN,
  },
  'progress:server:only-where-asked-for': {
    source: 'S-PROG-01',
    text: 'A server reports progress where it was asked for.',
    ...CHANNEL,
  },
  'progress:server:tokens-as-they-came': {
    source: 'S-PROG-01',
    text: 'A token comes back with its value and type.',
    ...CHANNEL,
  },
  'progress:server:grows': { source: 'S-PROG-02', text: 'Only progress that grows is sent.' },
  'progress:server:ends-with-the-request': {
    source: 'S-PROG-03, DI-33',
    text: 'After its handler a request reports no progress.',
  },
  'progress:http:on-its-own-stream': {
    source: 'S-PROG-04, S-SUB-05',
    text: 'Progress goes on the stream of its request.',
    transports: ['fetch'],
  },

  // Time.
  'timeout:client:per-call': { source: 'B-TIME-03, CS-19', text: 'A call can have a time limit.' },
  'timeout:client:for-the-session': {
    source: 'B-TIME-03, CS-19',
    text: 'A client can have a time limit for all its calls.',
  },
  'timeout:client:defaults': {
    source: 'B-TIME-01',
    text: 'A call that names no limit has one: a minute, five for a tool.',
  },
  'timeout:client:tells-the-server': { source: 'B-TIME-02, DI-15', text: 'A call that timed out is cancelled.' },
  'timeout:client:error-says-what': {
    source: 'B-RPC-20',
    text: 'The error of a timeout names the method and the time.',
  },
  'timeout:client:progress-is-a-sign-of-life': { source: 'B-TIME-04', text: 'Progress starts the time anew.' },
  'fault:F080:total-time': { source: 'F080, B-TIME-04', text: 'The time in all is not extended by progress.' },
  'fault:F081:odd-durations': { source: 'F081', text: 'Durations are checked, and long ones are waited for.' },
  'timeout:client:stands-still-while-we-answer': {
    source: 'B-TIME-04',
    text: 'The time stands still while a callback answers a question, and goes on after it.',
    ...LEGACY,
  },
  'timeout:client:total-time-does-not-stand-still': {
    source: 'B-TIME-04',
    text: 'The time in all counts while a callback answers.',
    ...LEGACY,
  },
  'fault:F073:handler-never-ends': {
    source: 'F073, S-CAN-01',
    text: 'A handler that never ends is told, and holds up nobody.',
  },
  'timeout:server:for-its-questions': {
    source: 'B-TIME-01, B-TIME-02, S-CAN-06',
    text: 'A question of a server times out, is taken back, and says nothing to the client.',
    ...LEGACY,
  },
  'fault:F097:loop-was-blocked': {
    source: 'F097',
    text: 'An answer that was there before the loop woke up is no timeout.',
  },

  // Closing.
  'close:client:any-number-of-times': { source: 'CL-02', text: 'A client can be closed any number of times.' },
  'close:client:fails-what-waits': { source: 'DI-26', text: 'Closing fails the calls that wait.' },
  'close:client:from-a-callback': { source: 'CS-02', text: 'A client can be closed from a callback of a call.' },
  'close:client:from-an-answer': {
    source: 'CS-02',
    text: 'A client can be closed while it answers the server.',
    ...LEGACY,
  },
  'close:client:from-its-handler': { source: 'CS-02', text: 'A client can be closed from the handler that serves it.' },
  'close:client:use-afterwards': { source: 'CL-02, CL-03', text: 'A client that was closed says so.' },
  'close:client:use-before': {
    source: 'CL-02',
    text: 'A client that is not open says so, and has started nothing.',
    ...DIRECT,
  },
  'close:client:while-opening': {
    source: 'pitfall 26, CL-17',
    text: 'Closing ends a client that is being opened.',
    ...MODERN_CHANNEL,
  },
  'close:client:while-the-transport-opens': {
    source: 'pitfall 26',
    text: 'A transport that opens after all is closed again.',
    ...MODERN_CHANNEL,
  },
  'close:client:peer-goes-away': { source: 'DI-26', text: 'Calls fail when the server goes away.', ...CHANNEL },
  'close:client:wedged-channel': {
    source: 'pitfall 20, R54',
    text: 'A channel that does not close is waited for, but not for ever.',
    ...MODERN_CHANNEL,
  },
  'close:client:others-go-on': { source: 'S-VER-07', text: 'Closing one client does not affect another.' },
  'fault:F084:handlers-are-told': { source: 'F084', text: 'Handlers are told when their client goes away.' },
  'fault:F088:connects-again-at-the-end': { source: 'F088', text: 'Connecting and closing can go on for ever.' },
  'fault:F090:opened-twice': { source: 'F090, CL-03', text: 'A client is opened once.', ...DIRECT },
  'fault:F090:channel-used-twice': { source: 'F090', text: 'A channel belongs to one client.', ...MODERN_CHANNEL },
  'fault:F092:before-and-after': {
    source: 'F092, DI-28',
    text: 'A session refuses requests before it starts and after it closed; notifications are sent before and dropped after.',
    ...MODERN_CHANNEL,
  },
  'close:server:ends-connections': { source: 'DI-26', text: 'Closing a server ends its connections.' },
  'close:server:answers-before-it-leaves': {
    source: 'DI-26',
    text: 'A server that closes answers what is still open.',
  },
  'close:server:drains': { source: 'DI-26', text: 'A server that closes can let requests finish.' },
  'close:server:can-be-connected-again': { source: 'LS-13', text: 'A server that was closed can be connected again.' },
  'close:connection:cleans-up': {
    source: 'RU-11',
    text: 'Cleanups run when the connection ends, last come first, and one that fails does not stop the others.',
  },
  'close:server:while-a-connection-opens': {
    source: 'api.md 7',
    text: 'Closing a server also ends the connections that are being opened, and none of them is left afterwards.',
    transports: ['direct', 'memory', 'stdio'],
  },

  // Lifespan.
  'lifespan:server:once-for-all-connections': {
    source: 'LS-09',
    text: 'The lifespan begins once, however many connections there are.',
  },
  'lifespan:server:ends-with-the-last-connection': {
    source: 'LS-09',
    text: 'The lifespan ends with the last connection.',
  },
  'lifespan:server:begins-anew': { source: 'LS-09', text: 'After its end a lifespan can begin anew.' },
  'lifespan:server:held-by-a-lease': { source: 'LS-09', text: 'A lease holds the lifespan without any connection.' },
  'lifespan:server:fails-to-begin': {
    source: 'LS-09',
    text: 'A lifespan that fails to begin fails the connection, and is tried again for the next.',
  },
  'lifespan:server:fails-to-end': {
    source: 'LS-09',
    text: 'A lifespan that fails to end is reported and does no harm.',
  },
  'lifespan:server:ways-to-end': { source: 'LS-09', text: 'What a lifespan made is disposed of or closed.' },
  'lifespan:connection:state': {
    source: 'CN-02, S-VER-09',
    text: 'State lives as long as its connection: one request in the modern era.',
  },

  // In process.
  'inprocess:modern:calls-without-json': {
    source: 'CL-22',
    text: 'In process the modern era writes and reads no JSON text, and gives what that would.',
    ...DIRECT,
  },
  'inprocess:own-objects': {
    source: 'CL-22',
    text: 'What one side writes on a message that it sent or received, the other does not see, in process as elsewhere.',
    since: '2025-06-18',
  },
  'inprocess:modern:no-json-form': {
    source: 'CL-22',
    text: 'In process, too, arguments that JSON cannot say are not sent, and such a result is -32603.',
    ...DIRECT,
  },
  'inprocess:legacy:speaks-json': { source: 'CL-23', text: 'In process the legacy era speaks JSON-RPC.', ...DIRECT },
  'inprocess:every-mode': {
    source: 'CL-01, CL-22, CL-23',
    text: 'A server in process can be connected to in every mode.',
    ...DIRECT,
  },
  'inprocess:raise:cause-reaches-the-caller': {
    source: 'CL-21',
    text: 'In process a caller can ask for what a handler really threw.',
    ...DIRECT,
  },
  'inprocess:raise:legacy-era-too': {
    source: 'CL-21',
    text: 'In process a caller of the legacy era can ask for it too.',
    ...DIRECT,
  },
  'inprocess:handshake-only-server': {
    source: 'CL-22, spec-digest 1.6',
    text: 'In process a server of the legacy era is found out like any other.',
    ...DIRECT,
  },
  'inprocess:raise:only-when-asked': {
    source: 'CL-21, F070',
    text: 'In process what a handler threw stays hidden unless asked for.',
    ...DIRECT,
  },
  'inprocess:raise:answers-stay-answers': {
    source: 'CL-21',
    text: 'In process an `MCPError` is the answer, asked for or not.',
    ...DIRECT,
  },
  'inprocess:faults:each-to-its-side': {
    source: 'DI-39',
    text: 'In process each side reports its own faults.',
    ...DIRECT,
  },
  'inprocess:legacy:faults-each-to-its-side': {
    source: 'CL-23',
    text: 'In process the legacy era reports faults too.',
    ...DIRECT,
  },
} as const satisfies RequirementTable
