// Meeting: the handshake, discovery, how a client finds the era, and what messages say of themselves.
import type { RequirementTable } from './entry.ts'
import { CHANNEL, HANDSHAKE_ONCE, LEGACY, LEGACY_CHANNEL, MODERN, MODERN_CHANNEL } from './scopes.ts'

export const MEETING = {
  // The handshake.
  'handshake:client:opens-with-initialize': {
    source: 'C-LIFE-01, C-LIFE-02',
    text: 'A client of the legacy era opens with `initialize`: its newest revision, its capabilities, its name.',
    ...LEGACY,
  },
  'handshake:client:sends-initialized': {
    source: 'C-LIFE-03, B-RPC-09',
    text: 'A client says `notifications/initialized` once the answer is there.',
    ...LEGACY,
  },
  'handshake:client:declares-its-callbacks': {
    source: 'C-LIFE-11, CS-08',
    text: 'A client declares what it has callbacks for, and nothing else.',
    ...LEGACY,
  },
  'handshake:server:answers-with-identity': {
    source: 'S-LIFE-01, CL-18',
    text: 'A server answers `initialize` with revision, capabilities, identity and instructions.',
    ...LEGACY,
  },
  'handshake:server:echoes-the-version': {
    source: 'S-LIFE-02, RU-03',
    text: 'A server answers with the revision asked for when it serves it.',
    ...LEGACY,
  },
  'handshake:server:offers-its-newest': {
    source: 'S-LIFE-02, RU-03',
    text: 'A server that does not serve the revision asked for offers its newest that has a handshake.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:server:fits-the-revision': {
    source: 'S-LIFE-05, RU-07',
    text: 'The identity in the answer has only members that the revision agreed on knows.',
    ...LEGACY,
  },
  'fault:F089:request-before-initialize': {
    source: 'F089, RU-02',
    text: 'A request before the handshake is refused, `ping` is not, and the handshake can still be made.',
    ...LEGACY,
  },
  'fault:F089:initialize-twice': {
    source: 'F089',
    text: 'A second `initialize` is refused and changes nothing.',
    ...LEGACY,
  },
  'handshake:server:bounds-what-it-keeps': {
    source: 'faults-and-threats: memory that a peer makes us keep',
    text: 'An `initialize` of more than 64 KiB is refused with -32602, which names the limit; nothing of it is kept.',
    ...LEGACY,
  },
  'handshake:server:unknown-method-before-initialize': {
    source: 'pitfall 28',
    text: 'An unknown method is unknown even before the handshake.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:server:pipelined-requests': {
    source: 'pitfall 10, DI-11',
    text: 'A request sent right behind `initialize` finds the handshake done.',
    ...LEGACY,
  },
  'handshake:server:bare-initialized-opens': {
    source: 'RU-02',
    text: 'A client that only says `notifications/initialized` is served.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:server:one-connection-each': {
    source: 'R06, S-LIFE-05',
    text: 'Two clients of one server each speak the revision they agreed on.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:server:refuses-modern-requests': {
    source: 'RU-13',
    text: 'A modern request on a connection that was opened with the handshake is refused.',
    ...LEGACY,
  },
  'handshake:server:modern-only-says-so': {
    source: 'S-LIFE-06',
    text: 'A server without the handshake names its revisions when it refuses `initialize`.',
    ...LEGACY,
  },
  'handshake:client:unsupported-answer': {
    source: 'C-LIFE-05, CS-03',
    text: 'A client disconnects when it cannot speak the revision in the answer.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:client:modern-only-server': {
    source: 'S-LIFE-06, C-VER-11',
    text: 'A client that insists on the handshake reads which revisions a modern server speaks.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:client:once': {
    source: 'CS-03',
    text: 'The handshake is made once, however often it is asked for.',
    ...LEGACY,
  },
  'handshake:client:waits-for-the-answer': {
    source: 'C-LIFE-04',
    text: 'Before anything is agreed a session sends nothing but `ping`.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:client:never-cancels-initialize': {
    source: 'C-LIFE-07, pitfall 18',
    text: 'Giving up `initialize` sends no cancellation.',
    ...HANDSHAKE_ONCE,
  },
  'handshake:ping:to-the-server': {
    source: 'S-LIFE-04, pitfall 41',
    text: 'A server answers `ping` with an empty result.',
    ...LEGACY,
  },
  'handshake:ping:to-the-client': {
    source: 'C-LIFE-09',
    text: 'A client answers `ping` with an empty result.',
    ...LEGACY,
  },
  'handshake:result:has-no-modern-stamps': {
    source: 'pitfall 41',
    text: 'Results of the legacy era carry neither `resultType` nor cache hints nor an identity.',
    ...LEGACY,
  },

  // Discovery.
  'discover:server:what-it-offers': {
    source: 'S-DISC-01, S-DISC-02, S-DISC-04, S-DISC-05, CL-18',
    text: 'A server says which revisions it speaks, what it can do, how to use it and who it is.',
    ...MODERN,
  },
  'discover:server:capabilities-are-derived': {
    source: 'S-DISC-03, LS-05',
    text: 'Capabilities follow from the handlers.',
    ...MODERN,
  },
  'discover:server:declared-capabilities-win': {
    source: 'LS-05',
    text: 'What the author declares goes over what is derived.',
    ...MODERN,
  },
  'discover:server:late-handlers-count': {
    source: 'LS-03, LS-08',
    text: 'A handler that is set later counts from then on.',
    ...MODERN,
  },
  'discover:server:change-bits-follow-listen': {
    source: 'pitfall 56',
    text: 'In the modern era changes are announced exactly when someone can listen for them.',
    ...MODERN,
  },
  'discover:server:handler-can-be-replaced': {
    source: 'LS-08',
    text: 'An author can answer discovery, and the answer still gets its stamps.',
    ...MODERN,
  },
  'discover:server:cache-hints': {
    source: 'S-DISC-05',
    text: 'The author can say how long the answer to discovery stays good.',
    ...MODERN,
  },
  'discover:server:only-what-it-serves': {
    source: 'S-DISC-02, S-VER-01',
    text: 'Discovery and the refusal of a revision list the same.',
    ...MODERN_CHANNEL,
  },
  'discover:server:unadvertised-is-unknown': {
    source: 'S-DISC-03',
    text: 'A method behind a capability that is not advertised is unknown.',
    ...MODERN_CHANNEL,
  },
  'discover:server:full-identity': {
    source: 'S-DISC-04, LS-07',
    text: 'A server can say all of its identity; its version is 0.0.0 unless given.',
    ...MODERN,
  },
  'discover:client:anonymous-server': { source: 'CL-18', text: 'A server need not say who it is.', ...MODERN_CHANNEL },
  'discover:client:malformed-identity': {
    source: 'pitfall 44, CS-23',
    text: 'A useless identity reads as none and fails nothing.',
    ...MODERN_CHANNEL,
  },
  'discover:client:negative-ttl': {
    source: 'pitfall 43',
    text: 'A negative time to live does not make a modern server an old one.',
    ...MODERN_CHANNEL,
  },
  'discover:client:once': {
    source: 'CS-04',
    text: 'Discovery is made once, however often it is asked for.',
    ...MODERN_CHANNEL,
  },
  'discover:client:asking-adopts-nothing': {
    source: 'CS-06',
    text: '`sendDiscover` asks and settles nothing.',
    ...MODERN_CHANNEL,
  },
  'discover:client:adopting-costs-nothing': {
    source: 'CS-05',
    text: '`adopt` settles a session without a message, and refuses what it cannot speak.',
    ...MODERN_CHANNEL,
  },

  // Modes, the probe and what it proves.
  'mode:auto:asks-first': {
    source: 'C-VER-02, CL-05, CL-10, CL-11',
    text: 'A client asks for the era before anything else, in its newest modern revision.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:falls-back-on-any-error': {
    source: 'C-VER-04, C-VER-06, CL-13',
    text: 'Any error that is not a modern one leads to the handshake, whatever its code.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:falls-back-on-silence': {
    source: 'C-VER-06, pitfall 18',
    text: 'Silence leads to the handshake, and the probe is not cancelled.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:probe-time-can-be-set': {
    source: 'CL-10',
    text: 'How long the probe waits can be set.',
    ...MODERN_CHANNEL,
  },
  'fault:F091:no-fallback-on-a-modern-error': {
    source: 'F091, C-VER-05, pitfall 30',
    text: 'A modern error is told to the caller and never leads to the handshake.',
    ...MODERN_CHANNEL,
  },
  'fault:F091:asks-again-in-a-listed-version': {
    source: 'F091, C-VER-01, CL-12',
    text: 'Refused for its revision, a client asks again in one that the server lists.',
    ...MODERN_CHANNEL,
  },
  'fault:F091:revision-not-repeated': {
    source: 'F091, C-VER-01',
    text: 'A refusal that lists what the server supports is followed, even where it does not repeat what was requested.',
    ...MODERN_CHANNEL,
  },
  'fault:F091:asks-again-only-once': {
    source: 'F091, CL-12',
    text: 'A client does not ask a third time.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:refusal-lists-legacy-versions': {
    source: 'CL-12, pitfall 30',
    text: 'A refusal that lists legacy revisions alone leads to the handshake.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:discovery-lists-legacy-versions': {
    source: 'pitfall 54, CL-14',
    text: 'A discovery result that lists legacy revisions alone leads to the handshake.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:answer-of-another-form': {
    source: 'CL-14',
    text: 'An answer that is no discovery result leads to the handshake.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:no-common-version': {
    source: 'C-VER-11',
    text: 'Without a common revision the caller reads which ones the server speaks.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:broken-way-proves-nothing': {
    source: 'pitfall 55, CL-15',
    text: 'A broken way to the server is told as it is and never leads to the handshake.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:handshake-refused-after-silence': {
    source: 'pitfall 53, CL-16',
    text: 'A handshake refused after a silent probe leads to one more probe.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:server-dies-of-the-question': {
    source: 'C-VER-06',
    text: 'A server that dies of the probe is opened again, without it.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:legacy-only-server': {
    source: 'spec-digest 1.6',
    text: 'A client of both eras works with a server of the legacy era.',
    ...MODERN_CHANNEL,
  },
  'mode:auto:modern-only-server': {
    source: 'spec-digest 1.6',
    text: 'A client of both eras works with a server of the modern era.',
    ...MODERN,
  },
  'mode:auto:ignores-prior-knowledge': {
    source: 'CL-09',
    text: 'What is known beforehand counts for a pinned revision only.',
    ...MODERN_CHANNEL,
  },
  'mode:legacy:never-asks': {
    source: 'CL-06',
    text: 'In mode `legacy` there is the handshake and nothing before it.',
    ...MODERN_CHANNEL,
  },
  'mode:pinned:costs-no-message': {
    source: 'CL-07, CL-18',
    text: 'A pinned revision is taken on trust, and every property is there.',
    ...MODERN,
  },
  'mode:pinned:takes-prior-knowledge': {
    source: 'CL-09',
    text: 'A pinned revision keeps what an earlier connection learned.',
    ...MODERN,
  },
  'mode:pinned:prior-knowledge-must-fit': {
    source: 'CS-05',
    text: 'What is known beforehand has to list the pinned revision.',
    ...MODERN,
  },
  'mode:pinned:legacy-revision': {
    source: 'api 3',
    text: 'A pinned legacy revision is offered in the handshake, and no other is accepted.',
    ...LEGACY,
  },
  'mode:pinned:legacy-revision-refused': {
    source: 'api 3',
    text: 'A server that answers a pinned legacy revision with another one is left.',
    ...LEGACY_CHANNEL,
  },
  'mode:modern:asks-once': {
    source: 'api 3',
    text: 'In mode `modern` there is discovery, never a handshake.',
    ...MODERN,
  },
  'mode:modern:asks-again-in-a-listed-version': {
    source: 'api 3, CL-12',
    text: 'In mode `modern` a client that is refused for its revision asks again in one that the server lists.',
    ...MODERN_CHANNEL,
  },
  'mode:modern:legacy-server': {
    source: 'api 3',
    text: 'In mode `modern` a legacy server is refused with an error that names the modes that work.',
    ...MODERN_CHANNEL,
  },
  'mode:modern:takes-prior-knowledge': {
    source: 'api 3, CL-09',
    text: 'In mode `modern` what is known beforehand costs no message.',
    ...MODERN_CHANNEL,
  },
  'mode:modern:tells-other-failures': {
    source: 'api 3, CL-15',
    text: 'In mode `modern` silence and a broken way are told as they are.',
    ...MODERN_CHANNEL,
  },
  'mode:invalid:range-error': {
    source: 'CL-08',
    text: 'A mode that cannot be is refused at construction, with advice.',
    ...MODERN_CHANNEL,
  },
  'mode:failure:leaves-nothing-open': {
    source: 'CL-17',
    text: 'A client that could not agree closes its transport and shows no session.',
    ...MODERN_CHANNEL,
  },
  'mode:http:body-of-a-400': {
    source: 'C-VER-07, C-VER-08',
    text: 'The body of a 400 decides whether the handshake follows.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'mode:http:401-proves-nothing': {
    source: 'C-VER-10',
    text: 'A 401 or 403 says nothing about the era.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'mode:http:404-means-two-things': {
    source: 'pitfall 38',
    text: 'A 404 before a session is an unknown method, after it a session that is gone.',
    transports: ['fetch'],
  },
  'mode:http:probe-header-does-not-leak': {
    source: 'pitfall 52',
    text: 'The version header of the probe is not on the handshake that follows it.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'mode:http:era-is-remembered': {
    source: 'C-VER-09',
    text: 'A client asks for the era once and remembers it for as long as it lives; the next client asks again.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'mode:stdio:probes-a-process': {
    source: 'C-VER-02, C-VER-03',
    text: 'A child process is asked for its era first.',
    transports: ['stdio'],
  },

  // Eras.
  'era:server:first-request-decides': {
    source: 'pitfall 51, RU-12, RU-13',
    text: 'The first request settles the era of a connection; crossing over later is refused.',
    ...MODERN_CHANNEL,
  },
  'era:server:failed-modern-request-decides': {
    source: 'pitfall 51',
    text: 'A modern request that fails settles the era too.',
    ...MODERN_CHANNEL,
  },
  'era:server:notifications-do-not-decide': {
    source: 'pitfall 51',
    text: 'Notifications before the first request settle nothing.',
    ...MODERN_CHANNEL,
  },
  'era:server:early-notifications-are-bounded': {
    source: 'RU-12',
    text: 'Eight notifications before the first request are kept for it.',
    ...MODERN_CHANNEL,
  },
  'era:server:early-notifications-are-contained': {
    source: 'RU-12, F086',
    text: 'A notification before the first request that fails then is reported and does no harm.',
    ...MODERN_CHANNEL,
  },
  'era:server:bare-discovery-opens-the-handshake': {
    source: 'RU-13',
    text: 'Discovery without an envelope is an unknown method of the legacy era.',
    ...MODERN_CHANNEL,
  },
  'era:server:discovery-alone-settles-nothing': {
    source: 'C-VER-02',
    text: 'A client that waited for discovery in vain may go on with the handshake, although the server has answered by then.',
    ...MODERN_CHANNEL,
  },
  'era:server:removed-methods-are-unknown': {
    source: 'S-LIFE-08',
    text: 'Methods that the modern era removed are unknown there.',
    ...MODERN_CHANNEL,
  },
  'era:server:serves-both-at-once': {
    source: 'S-LIFE-07',
    text: 'One server serves clients of both eras at the same time.',
    ...MODERN_CHANNEL,
  },
  'era:modern:nothing-is-remembered': {
    source: 'S-VER-06, S-VER-08, S-VER-09, S-STDIO-06',
    text: 'A modern request stands for itself: nothing is taken from the one before.',
    ...MODERN_CHANNEL,
  },
  'era:modern:server-asks-nothing': {
    source: 'S-VER-12, F094, CN-03, S-HTTP-11, S-STDIO-03, S-CAN-04',
    text: 'A modern server has no way to ask its client, and learns so at once.',
    ...MODERN,
  },
  'fault:F094:no-way-back-after-the-handler': {
    source: 'F094, DI-33',
    text: 'A request in the service of a call that is over fails at once.',
  },
  'era:modern:client-is-asked-nothing': {
    source: 'B-TR-03, CS-09',
    text: 'A request from a modern server is reported and reaches no callback.',
    ...MODERN_CHANNEL,
  },
  'era:modern:changes-only-by-subscription': {
    source: 'pitfall 57, CN-03',
    text: 'Changes reach a modern client by its subscriptions alone.',
    ...MODERN,
  },
  'era:modern:log-messages-are-asked-for': {
    source: 'pitfall 58, CN-11',
    text: 'A modern request gets the log messages that it asks for, and no others.',
    ...MODERN,
  },
  'era:session:no-crossing': { source: 'CS-03, CS-04', text: 'A session does not change its era.', ...CHANNEL },

  // Revisions.
  'versions:every:both-sides-agree': { source: 'CN-13, S-LIFE-05', text: 'Both sides speak the revision agreed on.' },
  'versions:order:of-publication': { source: 'TY', text: 'Revisions are ordered by publication.' },
  'versions:server:subset': { source: 'S-LIFE-02', text: 'A server can serve some revisions only.', ...HANDSHAKE_ONCE },
  'versions:client:verbs-that-are-gone': {
    source: 'C-LIFE-06, CL-20',
    text: 'A verb that the revision no longer has fails here and sends nothing.',
  },
  'versions:client:verbs-that-are-new': {
    source: 'C-LIFE-06',
    text: 'A verb that the revision does not have yet fails here and sends nothing.',
    ...LEGACY,
  },
  'versions:server:methods-of-other-revisions': {
    source: 'S-LIFE-05, S-LIFE-08, RU-01',
    text: 'Methods of other revisions, and those of the other side, are unknown.',
    ...CHANNEL,
  },
  'versions:params:later-members-stay-here': {
    source: 'C-LIFE-06',
    text: 'A client leaves out what the revision does not know.',
  },
  'versions:result:later-members-stay-there': {
    source: 'S-LIFE-05, RU-07',
    text: 'A server leaves out what the revision does not know.',
  },
  'versions:result:later-members-do-no-harm': {
    source: 'pitfall 42, CS-15',
    text: 'Members of later revisions in an answer, well-formed or not, do no harm.',
    ...LEGACY,
  },

  // What each request and result says of itself.
  'envelope:client:on-every-request': {
    source: 'C-META-01, C-META-02, C-META-03',
    text: 'Every modern request names revision, capabilities and client.',
    ...MODERN,
  },
  'envelope:client:on-notifications-too': {
    source: 'CS-07',
    text: 'A modern notification carries the envelope too.',
    ...MODERN_CHANNEL,
  },
  'envelope:client:names-itself': {
    source: 'C-META-03, CL-04',
    text: 'A client is called mcpwire unless it says otherwise, and the server reads who asks.',
  },
  'envelope:client:declares-its-callbacks': {
    source: 'C-META-04, C-META-05, CS-08',
    text: 'Every modern request declares what the client has callbacks for.',
    ...MODERN,
  },
  'envelope:client:caller-meta-survives': {
    source: 'pitfall 60, B-META-04, B-META-06',
    text: 'What a caller puts into `_meta` arrives.',
  },
  'envelope:client:reserved-keys-win': {
    source: 'pitfall 60, CS-07',
    text: "The keys of the envelope are not the caller's to set.",
    ...MODERN,
  },
  'envelope:client:log-level': {
    source: 'CL-30',
    text: 'The log level goes with each request, and one request can ask for another.',
    ...MODERN,
  },
  'envelope:client:none-in-the-legacy-era': {
    source: 'CS-07',
    text: 'Requests of the legacy era carry no envelope.',
    ...LEGACY,
  },
  'envelope:request:always-has-meta': {
    source: 'DI-07',
    text: 'Every request has a `_meta`, and absent params are left out.',
    ...CHANNEL,
  },
  'envelope:server:missing-keys': {
    source: 'S-VER-02, S-VER-03',
    text: 'A modern request without revision or capabilities is refused; the name of the client may be missing.',
    ...MODERN_CHANNEL,
  },
  'envelope:server:malformed-keys': {
    source: 'S-VER-02, pitfall 30',
    text: 'A malformed envelope is refused as bad params, never as an unknown revision.',
    ...MODERN_CHANNEL,
  },
  'envelope:server:useless-client-info': {
    source: 'pitfall 45, CN-01, B-META-05',
    text: 'A useless name of the client reads as none and fails nothing.',
    ...MODERN_CHANNEL,
  },
  'fault:F091:unknown-version': {
    source: 'F091, S-VER-01, pitfall 46',
    text: 'A revision that is not served is refused with the list of those that are.',
    ...MODERN_CHANNEL,
  },
  'envelope:result:says-its-type': { source: 'S-VER-10', text: 'Every modern result says its type.', ...MODERN },
  'envelope:result:names-its-server': { source: 'S-VER-11', text: 'Every modern result names its server.', ...MODERN },
  'envelope:result:handler-stamps-stay': {
    source: 'RU-07',
    text: 'What a handler stamps itself stays as it is.',
    ...MODERN,
  },
  'envelope:result:meta-comes-through': { source: 'B-META-06', text: 'What a handler puts into `_meta` arrives.' },
  'envelope:result:absent-type-is-complete': {
    source: 'C-META-07',
    text: 'A result without a type is complete.',
    ...MODERN_CHANNEL,
  },
  'envelope:result:unknown-type-is-refused': {
    source: 'C-META-08, C-META-09',
    text: 'A result of a type that nobody announced is invalid.',
    ...MODERN_CHANNEL,
  },
  'envelope:result:only-announced-types-are-sent': {
    source: 'S-VER-13, RU-08',
    text: 'A server sends no result of a type that it does not announce.',
    ...MODERN,
  },
  'envelope:transport:custom-ones-carry-it': {
    source: 'B-TR-01',
    text: "A transport of one's own carries the envelope like any other.",
    ...MODERN_CHANNEL,
  },
  'envelope:transport:byte-streams': {
    source: 'B-TR-02',
    text: 'Byte streams use the framing of stdio.',
    transports: ['stdio'],
  },
  'envelope:http:headers-before-version': {
    source: 'pitfall 31, pitfall 32',
    text: 'Headers that contradict the body are told before a revision that is not served.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'envelope:http:duplicate-header': {
    source: 'pitfall 47',
    text: 'A header that came twice is refused.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'envelope:http:encoded-values': {
    source: 'pitfall 48, pitfall 49, pitfall 50',
    text: 'Mirrored values are encoded canonically and compared exactly.',
    eras: ['modern'],
    transports: ['fetch'],
  },
} as const satisfies RequirementTable
