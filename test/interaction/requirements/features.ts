// What a server offers: tools, resources, prompts, completion, logging, subscriptions, caching.
import type { RequirementTable } from './entry.ts'

const MODERN = ['modern'] as const
const LEGACY = ['legacy'] as const

export const FEATURES = {
  // Tools
  'tools:call:text': { source: 'server/tools', text: 'A tool answers with text content.' },
  'tools:list:definitions': {
    source: 'server/tools; S-TOOL-01, C-ICON-02',
    text: 'A listed tool arrives with its title, description, schemas, annotations, icons and `_meta`.',
    since: '2025-11-25',
  },
  'tools:list:empty': {
    source: 'S-TOOL-01, S-TOOL-02',
    text: 'A server that declares tools answers `tools/list`, if need be with an empty list.',
  },
  'tools:list:order': {
    source: 'S-TOOL-04',
    text: 'Tools are listed in the order that the server gives, each time the same.',
  },
  'tools:list:same-for-all': {
    source: 'S-TOOL-03',
    text: 'The list depends neither on the connection nor on requests made before.',
  },
  'tools:list:schema-keywords': {
    source: 'C-TOOL-05; SEP-2106',
    text: 'Every keyword of an input schema arrives unharmed, known to anyone or not.',
  },
  'tools:list:input-schema-is-an-object': {
    source: 'S-TOOL-06; RU-08',
    text: 'A tool without an object as its input schema is not sent; the author learns where.',
  },
  'tools:call:arguments-verbatim': {
    source: 'server/tools; F059',
    text: 'Arguments reach the handler unchanged, also under names that JavaScript itself uses.',
  },
  'tools:call:without-arguments': {
    source: 'server/tools',
    text: 'A call without arguments sends none, which is not the same as an empty object.',
  },
  'tools:call:unknown-tool': {
    source: 'S-TOOL-10',
    text: 'The refusal of an unknown tool reaches the caller as -32602.',
  },
  'tools:call:error-data': {
    source: 'LS-02; ER-02',
    text: 'Code, message and data of an `MCPError` that a handler throws reach the caller.',
  },
  'tools:call:failure-is-a-result': {
    source: 'C-TOOL-03, S-TOOL-11',
    text: 'A tool that failed is a result with `isError`, and no exception.',
  },
  'tools:call:malformed-arguments': {
    source: 'server/tools; RU-01',
    text: 'Arguments that are no object are refused with -32602 before the handler.',
  },
  'tools:call:missing-name': {
    source: 'server/tools; RU-01',
    text: 'A call that names no tool is refused with -32602 before the handler.',
  },
  'tools:call:annotations-prove-nothing': {
    source: 'C-TOOL-02',
    text: 'What a tool says of itself changes nothing about how it is called: each call is sent.',
  },
  'tools:call:invalid-result-of-a-handler': {
    source: 'RU-08',
    text: 'A result of the wrong form is answered with a constant -32603, and its author learns why.',
  },
  'tools:call:invalid-result-of-a-server': {
    source: 'CS-15',
    text: 'A result of the wrong form is an `InvalidResultError` with the place that does not fit.',
  },
  'tools:call:result-meta': { source: 'basic/index', text: 'The `_meta` of a result reaches the caller.' },
  'tools:call:guarded-by-middleware': {
    source: 'S-TOOL-15; LS-10',
    text: 'A middleware can keep callers from a tool.',
  },
  'tools:call:time-limit': {
    source: 'C-TOOL-07',
    text: 'A tool call that shows no sign of life for 300 s fails with a local -32001.',
  },
  'fault:F104:handler-replaced-during-a-call': {
    source: 'F104',
    text: 'A call that has begun ends as it began, whatever replaces its handler meanwhile.',
  },
  'fault:F104:tool-removed-after-listing': {
    source: 'F104',
    text: 'A listing is a snapshot, and the call of a tool that is gone since is refused cleanly.',
  },
  'fault:F104:registry-snapshot': {
    source: 'F104',
    text: 'A listing under way shows tools as they were, whatever is registered or removed meanwhile.',
  },
  'tools:names:checked': {
    source: 'S-TOOL-05',
    text: 'A name outside 1 to 128 characters of `A-Za-z0-9_.-`, or used twice, is refused at registration.',
  },
  'tools:call:arguments-validated': {
    source: 'S-TOOL-07, S-TOOL-12',
    text: 'Arguments that break the input schema are an `isError` result since 2025-11-25, -32602 before.',
  },
  'tools:call:structure-as-text': {
    source: 'S-TOOL-09',
    text: 'Structured content is repeated as JSON text.',
    since: '2025-06-18',
  },
  'fault:F195:server-checks-its-own-output': {
    source: 'S-TOOL-08; F195',
    text: 'A tool whose result breaks its own output schema answers with an error, not with wrong data.',
  },

  // Content
  'content:image': { source: 'server/tools', text: 'An image arrives as base64 with its type.' },
  'content:audio': { source: 'server/tools', text: 'A sound arrives as base64 with its type.', since: '2025-03-26' },
  'content:resource-link': {
    source: 'server/tools',
    text: 'A link to a resource arrives with all that describes it.',
    since: '2025-06-18',
  },
  'content:embedded-text': { source: 'server/tools', text: 'An embedded resource arrives with its text.' },
  'content:embedded-blob': { source: 'server/tools', text: 'An embedded resource arrives with its base64.' },
  'content:mixed-in-order': {
    source: 'server/tools',
    text: 'Blocks of several kinds arrive in order, empty ones too.',
  },
  'content:annotations': { source: 'server/resources', text: 'Audience and priority of a block arrive.' },
  'content:block-meta': { source: 'basic/index', text: 'The `_meta` of a block arrives.', since: '2025-06-18' },
  'content:unknown-members-are-kept': {
    source: 'dependencies, notes for the guards',
    text: 'Members that no revision knows are kept.',
  },
  'content:unknown-type': {
    source: 'CS-15',
    text: 'A block of a type that the revision does not know makes the result invalid.',
  },
  'content:handlers-result-is-not-changed': {
    source: 'RU-07',
    text: 'Shaping a result for a revision does not change the object that the handler returned.',
  },

  // Output schemas
  'output:fits': {
    source: 'C-TOOL-01; CS-16',
    text: 'Structured content that fits the output schema reaches the caller.',
    since: '2025-06-18',
  },
  'fault:F195:mismatch': {
    source: 'C-TOOL-01; CS-16; F195',
    text: 'Structured content that does not fit is refused, in words without the content.',
    since: '2025-06-18',
  },
  'output:missing': {
    source: 'CS-16',
    text: 'A tool with an output schema that answers without structured content is refused.',
    since: '2025-06-18',
  },
  'output:errors-are-exempt': {
    source: 'server/tools; spec-digest 6.2',
    text: 'A result with `isError` need not fit the output schema.',
    since: '2025-06-18',
  },
  'output:any-json-value': {
    source: 'C-TOOL-04; SEP-2106',
    text: 'Structured content may be any JSON value; whether it is there decides, not whether it is true.',
    eras: MODERN,
  },
  'output:null-is-a-value': {
    source: 'C-TOOL-04',
    text: 'A structured `null` is a value, and held against the schema like any other.',
    eras: MODERN,
  },
  'output:dialect-2020-12-by-default': {
    source: 'B-SCHEMA-01, B-SCHEMA-02',
    text: 'A schema that names no dialect is read as 2020-12.',
    since: '2025-06-18',
  },
  'output:dialect-draft-07': {
    source: 'B-SCHEMA-02, B-SCHEMA-04',
    text: 'A schema that names draft-07 is read as that, and what its words meant then.',
    since: '2025-06-18',
  },
  'output:dialect-unknown': {
    source: 'B-SCHEMA-03; F194',
    text: 'A schema of an unknown dialect makes its tool unusable with a clear reason, and no other.',
    since: '2025-06-18',
  },
  'output:local-references': {
    source: 'B-SCHEMA-01; C-TOOL-06',
    text: 'References within the schema are followed, by pointer and by anchor, also in a circle.',
    since: '2025-06-18',
  },
  'fault:F190:reference-to-the-network': {
    source: 'B-SCHEMA-06, B-SCHEMA-07, B-SCHEMA-09; C-TOOL-06; F190',
    text: 'A reference that leads out of the schema is never fetched, and what hangs on it is not accepted.',
    since: '2025-06-18',
  },
  'output:unresolved-reference': {
    source: 'B-SCHEMA-09',
    text: 'A schema with a reference to nowhere accepts nothing, not everything.',
    since: '2025-06-18',
  },
  'fault:F191:endless-references': {
    source: 'B-SCHEMA-10; F191',
    text: 'Checking ends where references go round in a circle.',
    since: '2025-06-18',
  },
  'fault:F192:backtracking-pattern': {
    source: 'B-SCHEMA-10; F192',
    text: 'A pattern that would backtrack for ever costs a refusal and no time.',
    since: '2025-06-18',
  },
  'fault:F193:costly-content': {
    source: 'B-SCHEMA-10; F193; api section 11',
    text: 'Content that would take too long to check is an `InvalidResultError`, and the client goes on.',
    since: '2025-06-18',
  },
  'fault:F193:costly-schema': {
    source: 'B-SCHEMA-10; F193',
    text: 'A schema of too many or too deep subschemas is refused.',
    since: '2025-06-18',
  },
  'fault:F194:invalid-schema': {
    source: 'CS-16; F194',
    text: 'An output schema that is none makes its own tool unusable, and no other.',
    since: '2025-06-18',
  },
  'fault:F197:names-of-javascript': {
    source: 'F197',
    text: 'Properties named `__proto__` or `constructor` count only where they are really there.',
    since: '2025-06-18',
  },
  'output:unlisted-tool-is-looked-up-once': {
    source: 'CS-16',
    text: 'For a structured result of a tool that was never listed the tools are listed, once.',
    since: '2025-06-18',
  },
  'output:looked-up-on-all-pages': {
    source: 'CS-16',
    text: 'The schema of an unlisted tool is looked for on all pages.',
    since: '2025-06-18',
  },
  'output:tool-in-no-listing': {
    source: 'CS-16',
    text: 'A tool that is in no listing can be called; it costs one listing, not one per call.',
    since: '2025-06-18',
  },
  'output:missing-structure-of-an-unlisted-tool': {
    source: 'CS-16',
    text: 'A missing structured content is found although the tool was never listed: the tools are listed, once.',
    since: '2025-06-18',
  },
  'output:newest-schema-counts': {
    source: 'CS-17',
    text: 'When a tool is listed with another schema, results are held against that from then on.',
    since: '2025-06-18',
  },
  'output:compiled-once': {
    source: 'CS-17',
    text: 'A schema is compiled once, however often its tool is called or listed, and by the engine that was given.',
    since: '2025-06-18',
  },
  'output:not-before-2025-06-18': {
    source: 'S-TOOL-14; CS-15',
    text: 'An output schema means nothing in a revision that has none.',
  },

  // Arguments in headers
  'headers:list:drops-the-broken': {
    source: 'C-HDR-02, C-HDR-08; CS-18',
    text: 'A tool with a broken annotation is left out and reported by name, and the others stay.',
    eras: MODERN,
  },
  'headers:list:empty-name': { source: 'C-HDR-03', text: 'An annotation without a name is broken.', eras: MODERN },
  'headers:list:no-token': { source: 'C-HDR-04', text: 'An annotation that is no HTTP token is broken.', eras: MODERN },
  'headers:list:name-twice': {
    source: 'C-HDR-05',
    text: 'Two annotations that differ at most in case are broken.',
    eras: MODERN,
  },
  'headers:list:type': {
    source: 'C-HDR-06; IN-08',
    text: 'An annotation on anything but a string, an integer or a boolean is broken.',
    eras: MODERN,
  },
  'headers:list:place': {
    source: 'C-HDR-07; IN-08',
    text: 'An annotation that is not reached through `properties` alone is broken.',
    eras: MODERN,
  },
  'headers:list:data-is-no-annotation': {
    source: 'IN-08; pitfall 50',
    text: 'Data, a property of that name and what a reference leads to are no annotations.',
    eras: MODERN,
  },
  'headers:list:deep-schema': {
    source: 'IN-08; pitfall 50',
    text: 'A schema of any depth is walked without exhausting the stack.',
    eras: MODERN,
  },
  'headers:list:handshake-keeps-all': {
    source: 'CS-18',
    text: 'Annotations mean nothing in the legacy era, broken or not.',
    eras: LEGACY,
  },
  'headers:call:mirrors': {
    source: 'C-HDR-01, C-HDR-09, C-HDR-11; IN-09',
    text: 'Annotated arguments are mirrored by their path: strings as they are, integers and booleans in words.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:no-value-no-header': {
    source: 'C-HDR-09, C-HDR-10; IN-09',
    text: 'An argument that is absent or null has no header.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:encoding': {
    source: 'C-HDR-12, C-HDR-13, C-HDR-14; IN-06; pitfall 48',
    text: 'A value that no header can carry, or that looks encoded, is sent as base64 between the markers.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:only-annotated': {
    source: 'C-HDR-18',
    text: 'Arguments without an annotation are not mirrored.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:unknown-tool': {
    source: 'C-HDR-16; SEP-2243',
    text: 'The arguments of a tool that was never listed are not mirrored.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:newest-listing': {
    source: 'C-HDR-16; CS-18',
    text: 'The newest listing says what is mirrored; a tool that is not in it any more has nothing mirrored.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:pages-only-add': {
    source: 'CS-18',
    text: 'A page of a listing adds to what is known and takes nothing away.',
    eras: MODERN,
    transports: ['memory'],
  },
  'headers:call:handshake-mirrors-nothing': {
    source: 'CS-07; IN-09',
    text: 'In the legacy era the version is the only header.',
    eras: LEGACY,
    since: '2025-11-25',
    transports: ['memory'],
  },
  'headers:call:mismatch-is-repaired': {
    source: 'C-HDR-17',
    text: 'A call that is refused with -32020 is repeated after the tools were listed anew.',
    eras: MODERN,
  },
  'headers:call:mismatch-is-repaired-once': {
    source: 'C-HDR-17',
    text: 'A second -32020 reaches the caller.',
    eras: MODERN,
  },
  'headers:call:integer-range': {
    source: 'C-HDR-15; pitfall 49',
    text: 'An integer beyond 2^53 - 1 is refused before anything is sent, because its header would lie.',
    eras: MODERN,
    transports: ['fetch'],
  },
  'headers:server:compared': {
    source: 'IN-10; pitfalls 47, 48, 49',
    text: 'A server refuses headers that are missing, repeated, malformed or at odds with the arguments with -32020.',
    eras: MODERN,
    transports: ['fetch'],
  },
  'headers:server:annotations-checked': {
    source: 'S-HDR-01, S-HDR-02, S-HDR-03, S-HDR-04, S-HDR-05',
    text: 'A tool with a broken annotation is refused at registration, and one on a secret is warned of.',
  },

  // Revisions that know less, and peers that are careless
  'older:tool:audio': {
    source: 'spec-digest 2.8',
    text: 'A sound becomes a line of text where a revision knows none.',
  },
  'older:tool:resource-link': {
    source: 'spec-digest 2.8',
    text: 'A link becomes a line of text where a revision knows none.',
  },
  'older:prompt:content': {
    source: 'spec-digest 2.8',
    text: 'Messages of a prompt are put in words that the revision knows.',
  },
  'older:tool:structured-content': {
    source: 'S-TOOL-14',
    text: 'Structured content is left out before 2025-06-18; its text stays.',
  },
  'older:tool:loose-structured-content': {
    source: 'S-TOOL-14; SEP-2106',
    text: 'Structured content that is no object is left out up to 2025-11-25; its text stays.',
  },
  'older:tools:output-schema': {
    source: 'S-TOOL-14',
    text: 'Output schemas are left out before 2025-06-18, and those of anything but objects up to 2025-11-25.',
  },
  'older:tools:members': {
    source: 'spec-digest 2.8; RU-07',
    text: 'A tool shows the members that the revision knows.',
  },
  'older:tools:execution': { source: 'spec-digest 2.8', text: 'Task support is told at 2025-11-25 and nowhere else.' },
  'older:resources:members': {
    source: 'spec-digest 2.8; RU-07',
    text: 'Resources and templates show the members that the revision knows.',
  },
  'older:prompts:members': {
    source: 'spec-digest 2.8; RU-07',
    text: 'Prompts and their arguments show the members that the revision knows.',
  },
  'older:content:annotations': {
    source: 'spec-digest 2.8',
    text: 'Content and its annotations show the members that the revision knows.',
  },
  'older:server-info:members': {
    source: 'spec-digest 2.8; LS-06',
    text: 'The server introduces itself with the members that the revision knows.',
  },
  'older:result:no-modern-stamps': {
    source: 'pitfall 41; EX-01; S-CACHE-01',
    text: 'A result of the legacy era has no stamps, and an empty one is `{}`.',
    eras: LEGACY,
  },
  'modern:result:stamps': {
    source: 'RU-07; spec-digest 3.5; pitfall 41',
    text: 'A result of the modern era says what type it is and which server it is from.',
    eras: MODERN,
  },
  'modern:result:own-stamps-stay': {
    source: 'RU-07',
    text: 'The stamp that a handler sets itself stays.',
    eras: MODERN,
  },
  'sloppy:later-members': {
    source: 'CS-15; pitfall 42',
    text: 'Members of later revisions do no harm in a result of the legacy era, whatever is in them.',
    eras: LEGACY,
  },
  'sloppy:server-info': {
    source: 'CS-23; pitfall 44',
    text: 'A malformed stamp of the server costs no result.',
    eras: MODERN,
  },
  'sloppy:anonymous-discovery': {
    source: 'CA-08; CS-23; pitfalls 43, 44',
    text: 'A negative ttl or a malformed stamp in the discovery result does not cost the modern era.',
    eras: MODERN,
  },
  'sloppy:unknown-result-type': {
    source: 'spec-digest 3.5',
    text: 'A result of a type that nobody announced is invalid.',
    eras: MODERN,
  },
  'sloppy:client-info': {
    source: 'IN-04; pitfall 45',
    text: 'A malformed clientInfo costs requests of the specification, but not those of a vendor.',
    eras: MODERN,
  },
  'sloppy:unsupported-version-words': {
    source: 'pitfall 46; F091',
    text: 'The refusal of a revision says `Unsupported protocol version`, because others look for these words.',
    eras: MODERN,
  },

  // Resources
  'resources:list': {
    source: 'S-RES-01, S-RES-02, S-RES-10',
    text: 'Resources are listed with all that describes them.',
  },
  'resources:templates': { source: 'S-RES-10', text: 'Templates are listed with all that describes them.' },
  'resources:read:text': { source: 'server/resources', text: 'Text is read by a URI that arrives byte for byte.' },
  'resources:read:blob': { source: 'S-RES-09', text: 'Binary content arrives as base64.' },
  'resources:read:several': { source: 'C-RES-02', text: 'One read may give several contents, text and binary.' },
  'resources:read:missing': {
    source: 'S-RES-03, S-RES-04, S-RES-05; C-RES-01',
    text: 'A missing resource is -32602 in the modern era, -32002 before, with the uri as data.',
  },
  'resources:read:missing-by-the-other-code': {
    source: 'S-RES, B-RPC-18, C-RES',
    text: 'A handler that reports a missing resource with the code of the other era is understood; -32002 leaves as -32602 since 2026-07-28.',
  },
  'resources:read:missing-by-itself': {
    source: 'S-RES-03, S-RES-04, S-RES-05',
    text: 'A uri that nobody registered is answered with the code of the revision, never with empty contents.',
  },
  'resources:read:paths': {
    source: 'S-RES-07, S-RES-08',
    text: 'A path that leads out of its root is refused.',
  },
  'resources:read:encodes-bytes': {
    source: 'S-RES-09',
    text: 'Bytes that a reader returns are sent as base64.',
  },
  'resources:read:failure': {
    source: 'S-RES-06; F070',
    text: 'A reader that fails is answered with -32603 and nothing of what it said.',
  },
  'resources:read:without-uri': { source: 'S-RES-07', text: 'A read without a uri is refused before the handler.' },
  'resources:read:neither-text-nor-blob': {
    source: 'CS-15',
    text: 'Contents that are neither text nor blob make a result invalid.',
  },
  'resources:not-offered': { source: 'spec-digest 3.9', text: 'A server without resources answers -32601.' },
  'resources:subscribe': {
    source: 'S-SUB-11; CL-20',
    text: 'A client that subscribed to a resource hears of its updates, and of no others.',
    eras: LEGACY,
  },
  'resources:unsubscribe': {
    source: 'S-SUB-11; CL-20',
    text: 'A client that unsubscribed hears no more.',
    eras: LEGACY,
  },
  'resources:subscribe:each-client-its-own': {
    source: 'S-SUB-11',
    text: 'Each client watches its own resources.',
    eras: LEGACY,
  },
  'resources:subscribe:long-uri': {
    source: 'faults-and-threats: memory that a peer makes us keep',
    text: 'A uri of more than 8 KiB cannot be watched: -32602, which names the limit.',
    eras: LEGACY,
  },
  'resources:subscribe:many-bytes': {
    source: 'faults-and-threats: memory that a peer makes us keep',
    text: 'All uris that a client watches take at most 256 KiB; one that it stops to watch makes room.',
    eras: LEGACY,
  },
  'resources:subscribe:own-handlers': {
    source: 'LS-01; CN-09',
    text: 'A server can serve subscriptions by handlers of its own.',
    eras: LEGACY,
  },

  // Prompts
  'prompts:list': { source: 'S-PROMPT-01, S-PROMPT-02', text: 'Prompts are listed with their arguments.' },
  'prompts:get': { source: 'server/prompts', text: 'A prompt takes its arguments and gives messages of both roles.' },
  'prompts:get:without-arguments': { source: 'server/prompts', text: 'A prompt without arguments is sent none.' },
  'prompts:get:content': { source: 'S-PROMPT-05', text: 'Images and embedded resources arrive in messages.' },
  'prompts:get:unknown': {
    source: 'S-PROMPT-03',
    text: 'The refusal of an unknown prompt reaches the caller as -32602.',
  },
  'prompts:get:arguments-are-strings': {
    source: 'S-PROMPT-04',
    text: 'Arguments that are no strings are refused before the handler.',
  },
  'prompts:get:arguments-required': {
    source: 'S-PROMPT-03, S-PROMPT-04',
    text: 'A missing required argument is refused with -32602.',
  },
  'prompts:get:invalid-message': {
    source: 'RU-08',
    text: 'A message of the wrong form is answered with -32603, and the author learns where.',
  },
  'prompts:not-offered': { source: 'spec-digest 3.9', text: 'A server without prompts answers -32601.' },

  // Completion
  'completion:prompt': { source: 'CS-24', text: 'An argument of a prompt is completed.' },
  'completion:resource': { source: 'CS-24', text: 'An argument of a resource template is completed.' },
  'completion:context': {
    source: 'C-COMP-01; CS-24',
    text: 'Arguments that are chosen already go along, from 2025-06-18 on.',
  },
  'completion:order-and-totals': {
    source: 'S-COMP-03; C-COMP-02',
    text: 'Suggestions keep their order, and a part of them says so.',
  },
  'completion:at-most-100': {
    source: 'S-COMP-02',
    text: 'More than 100 suggestions are not sent.',
    eras: MODERN,
  },
  'completion:capability': {
    source: 'S-COMP-01; LS-05',
    text: 'The capability is declared from 2025-03-26 on; before, completion works without.',
  },
  'completion:unknown-reference': {
    source: 'S-COMP-04',
    text: 'The refusal of an unknown reference arrives as -32602.',
  },
  'completion:malformed': {
    source: 'S-COMP-04, S-COMP-05',
    text: 'Malformed questions are refused before the handler.',
  },
  'completion:not-offered': { source: 'S-COMP-04', text: 'A server without completion answers -32601.' },

  // Pages
  'pages:all-in-order': {
    source: 'C-PAG-03, C-PAG-04',
    text: 'All pages of the four listings are read, in order and whatever their size.',
  },
  'pages:cursor-is-opaque': { source: 'C-PAG-01', text: 'A cursor goes back byte for byte, whatever is in it.' },
  'pages:empty-string-leads-on': { source: 'C-PAG-02', text: 'An empty string is a cursor like any other.' },
  'pages:null-cursor-ends': { source: 'C-PAG-03', text: 'A cursor that is null ends the list, as a missing one does.' },
  'pages:empty-page-leads-on': { source: 'C-PAG-03, C-PAG-04', text: 'A page without items is not the end.' },
  'pages:one-at-a-time': { source: 'api 3', text: 'A page is fetched when the reader gets to it, and not before.' },
  'pages:single': { source: 'CL-19', text: 'A single page is listed by its cursor.' },
  'pages:bad-cursor': { source: 'S-PAG-02', text: 'A bad cursor is answered with -32602.' },
  'pages:failure-in-the-middle': {
    source: 'api 3',
    text: 'A failed page reaches the reader after the items before it.',
  },
  'pages:signal-ends-the-loop': { source: 'api 3', text: 'A signal ends a loop over pages with its reason.' },
  'pages:malformed-next-cursor': { source: 'CS-15', text: 'A cursor that is no string makes the page invalid.' },
  'fault:F101:cursor-comes-again': {
    source: 'F101',
    text: 'A cursor that came before ends the loop with a `LimitError`.',
  },
  'fault:F101:pages-never-end': {
    source: 'F101',
    text: 'After 1,000 pages a listing is given up with a `LimitError`.',
  },

  // Capabilities
  'capabilities:none': { source: 'LS-05', text: 'A server without handlers declares nothing.' },
  'capabilities:derived': {
    source: 'LS-05; S-TOOL-01, S-RES-01, S-PROMPT-01, S-COMP-01, S-LOG-01',
    text: 'A server declares what it has handlers for.',
  },
  'capabilities:derived-one-by-one': { source: 'LS-05', text: 'A handler declares its own feature and no other.' },
  'capabilities:changes': {
    source: 'LS-05; S-RES-01, S-SUB-12',
    text: 'A server that announces changes declares that, in both eras.',
  },
  'capabilities:changes-by-era': {
    source: 'pitfall 56; LS-05',
    text: 'A handler for `resources/subscribe` promises updates in the legacy era only.',
  },
  'capabilities:listen-handler': {
    source: 'pitfall 56; LS-05; spec-digest 5.5',
    text: 'A handler for `subscriptions/listen` promises changes in the modern era only.',
  },
  'capabilities:late-handler': {
    source: 'LS-03; LS-08',
    text: 'A handler that is added later is declared from then on.',
  },
  'capabilities:declared': { source: 'api 8; LS-06', text: 'What the author declares goes over what is derived.' },
  'capabilities:unadvertised': {
    source: 'spec-digest 3.9',
    text: 'Every method without a handler is answered with -32601.',
  },
  'capabilities:malformed-before-unknown': {
    source: 'pitfall 29; RU-01',
    text: 'Malformed params are told before that there is no handler.',
  },
  'capabilities:vendor-method': {
    source: 'LS-03; CE-10',
    text: 'A method of a vendor is served as it is; another is -32601.',
  },
  'deprecated:requests-work': {
    source: 'CL-20',
    text: 'The deprecated requests work in the legacy era.',
    eras: LEGACY,
  },
  'deprecated:notifications-work': {
    source: 'CL-20',
    text: 'The deprecated notifications work in the legacy era.',
    eras: LEGACY,
  },
  'deprecated:requests-are-gone': {
    source: 'api 3; spec-digest 2.3',
    text: 'In the modern era the deprecated requests fail locally with -32601, and nothing is sent.',
    eras: MODERN,
  },
  'deprecated:notifications-are-gone': {
    source: 'api 3; spec-digest 2.3',
    text: 'In the modern era the deprecated notifications fail locally with -32601, and nothing is sent.',
    eras: MODERN,
  },
  'deprecated:not-in-this-revision': {
    source: 'api 3; spec-digest 2.4',
    text: 'A method that the revision does not have fails locally with -32601, and nothing is sent.',
  },

  // Log messages
  'logging:capability': { source: 'S-LOG-01', text: 'A server that serves logging declares it.' },
  'logging:content': {
    source: 'basic/utilities/logging',
    text: 'A message carries any JSON and the name of its logger.',
  },
  'logging:before-the-result': {
    source: 'S-LOG-04',
    text: 'Messages of a call arrive before its result, in order.',
  },
  'logging:listener-first-then-everybody': {
    source: 'CS-13',
    text: '`onLog` hears a message before `onMessage` does.',
  },
  'logging:listener-fails': {
    source: 'CS-13; F086',
    text: 'A listener that throws is reported; the call and the other listener go on.',
  },
  'logging:listener-alone-asks-for-info': {
    source: 'api 3',
    text: '`onLog` without `logLevel` asks for `info` and above, in both modes.',
  },
  'logging:handshake:everything-at-first': {
    source: 'spec-digest 5.4',
    text: 'Before a level is set everything is sent.',
    eras: LEGACY,
  },
  'logging:handshake:set-level': {
    source: 'S-LOG-06',
    text: 'From the level that was set on, messages are sent; below it, none.',
    eras: LEGACY,
  },
  'logging:handshake:level-of-one-connection': {
    source: 'S-LOG-06',
    text: 'The level of one client is not that of another.',
    eras: LEGACY,
  },
  'logging:handshake:unknown-level': {
    source: 'S-LOG-06',
    text: 'An unknown level is refused with -32602 and changes nothing.',
    eras: LEGACY,
  },
  'logging:handshake:not-offered': {
    source: 'S-LOG-01; spec-digest 3.9',
    text: 'A server without logging answers `logging/setLevel` with -32601.',
    eras: LEGACY,
  },
  'logging:modern:silent-unless-asked': {
    source: 'S-LOG-02; CL-30; CN-11; pitfall 58',
    text: 'A request that names no level gets no messages.',
    eras: MODERN,
  },
  'logging:modern:level-of-the-client': {
    source: 'S-LOG-03; CL-30',
    text: 'The level that a client is made with goes with every request.',
    eras: MODERN,
  },
  'logging:modern:level-of-one-call': {
    source: 'CL-30; pitfall 60',
    text: 'A level in the `meta` of one call counts for that call alone.',
    eras: MODERN,
  },
  'logging:modern:calls-at-once': {
    source: 'S-LOG-02, S-LOG-04; pitfall 58',
    text: 'Of two calls at once only the one that asked gets messages.',
    eras: MODERN,
  },
  'logging:modern:unknown-level': {
    source: 'S-LOG-05',
    text: 'A request with an unknown level is refused with -32602 before any handler.',
    eras: MODERN,
  },
  'logging:modern:only-on-the-way-of-the-request': {
    source: 'S-LOG-04; CN-11; pitfall 58',
    text: 'There is no other way for a message than that of its request.',
    eras: MODERN,
  },
  'logging:modern:plain-notification-is-gated-too': {
    source: 'S-LOG-02, S-LOG-03',
    text: 'A message that is sent as a plain notification passes the same gate.',
    eras: MODERN,
  },

  // Changes, on one bus for both eras
  'changes:handshake:lists': {
    source: 'S-SUB-12',
    text: 'Changes of lists are told without being asked for.',
    eras: LEGACY,
  },
  'changes:handshake:only-lists-that-exist': {
    source: 'S-SUB-12; S-RES-01',
    text: 'Changes of a list that the server does not have are not told.',
    eras: LEGACY,
  },
  'changes:handshake:only-what-was-declared': {
    source: 'S-LIFE-05; basic/lifecycle',
    text: 'A list that the server came to have after the handshake is not announced: it was not negotiated.',
    eras: LEGACY,
  },
  'changes:handshake:by-the-session': {
    source: 'CN-09; CN-08',
    text: 'A handler can tell its own client of changes.',
    eras: LEGACY,
  },
  'changes:modern:nothing-outside-listen': {
    source: 'pitfall 57; CN-03; S-SUB-03',
    text: 'Without a subscription no change is told, however a handler tries.',
    eras: MODERN,
  },
  'changes:every-client': { source: 'S-SUB-08', text: 'Every client that wants to know hears of a change.' },
  'changes:one-bus-for-both-eras': {
    source: 'SB-01',
    text: 'One announcement reaches clients of both eras.',
  },
  'changes:bus-shared-by-servers': { source: 'SB-01', text: 'Servers that share a bus tell of each other.' },
  'changes:nobody-left-behind': { source: 'SB-01; S-SUB-10', text: 'A client that is gone has left the bus.' },
  'changes:a-listener-that-fails': { source: 'SB-02', text: 'A listener of the bus that throws costs only itself.' },
  'changes:burst': {
    source: 'SB-02; pitfall 13',
    text: 'A publisher that waits for the bus never overruns a client that reads.',
  },
  'fault:F102:storm': {
    source: 'F102',
    text: 'A storm of one change is told a few times, and costs no subscription.',
  },
  'fault:F102:one-refresh-and-one-more': {
    source: 'F102',
    text: 'A group that hears of many changes has one refresh under way and one waiting, and ends up to date.',
    eras: MODERN,
  },

  // Subscriptions of the modern era
  'listen:every-kind': {
    source: 'CU-04; C-SUB-01; S-SUB-08',
    text: 'A subscription gives changes of all kinds, in order.',
    eras: MODERN,
  },
  'listen:acknowledged-first': {
    source: 'S-SUB-01; SB-03',
    text: 'The acknowledgement is the first message of a subscription.',
    eras: MODERN,
    transports: ['memory'],
  },
  'listen:nothing-lost-at-the-start': {
    source: 'SB-05',
    text: 'A change that happens while a subscription is acknowledged is told.',
    eras: MODERN,
  },
  'listen:honored-and-refused': {
    source: 'C-SUB-02; S-SUB-02; CU-04',
    text: 'A subscription shows which part of its filter was granted and which was not.',
    eras: MODERN,
  },
  'listen:only-what-was-asked-for': {
    source: 'S-SUB-03; SB-03',
    text: 'Nothing is told that was not asked for.',
    eras: MODERN,
  },
  'listen:believes-no-more-than-it-asked': {
    source: 'CU-07; S-SUB-03',
    text: 'A grant beyond the filter means nothing, and neither does a change before or beyond the grant.',
    eras: MODERN,
  },
  'listen:tagged': {
    source: 'S-SUB-04, S-SUB-06; C-SUB-03; CU-05',
    text: 'Every message of a subscription carries its id, the last one too.',
    eras: MODERN,
    transports: ['memory'],
  },
  'listen:own-ids': {
    source: 'CU-03; pitfalls 4, 5',
    text: 'Subscriptions have ids that no other request can have.',
    eras: MODERN,
  },
  'listen:several-at-once': {
    source: 'S-SUB-09; C-SUB-03, C-STDIO-09',
    text: 'Several subscriptions on one connection each get their own.',
    eras: MODERN,
  },
  'listen:no-replay': {
    source: 'S-SUB-10; spec-digest 5.5',
    text: 'What changed before a subscription opened is not told.',
    eras: MODERN,
  },
  'listen:each-event-once': {
    source: 'CU-06',
    text: 'A change that waits to be read is not there twice; after it was read it comes again.',
    eras: MODERN,
  },
  'listen:parts-of-what-is-watched': {
    source: 'CU-07; server/resources',
    text: 'An update may name a part of what is watched.',
    eras: MODERN,
  },
  'listen:told-to-everybody': { source: 'CU-05', text: 'Changes reach `onMessage` too.', eras: MODERN },
  'listen:unread-blocks-nobody': {
    source: 'pitfall 12',
    text: 'A subscription that nobody reads holds up neither others nor calls.',
    eras: MODERN,
  },
  'listen:backlog': {
    source: 'CU-06',
    text: 'When more than 1,024 changes wait, the subscription is lost, and the server hears of it.',
    eras: MODERN,
  },
  'listen:limit-of-a-connection': {
    source: 'SB-04',
    text: 'A connection has at most 100 subscriptions at once; one that ends makes room.',
    eras: MODERN,
  },
  'listen:bounds-what-it-keeps': {
    source: 'faults-and-threats: memory that a peer makes us keep',
    text: 'A subscription of more than 256 KiB, or with a uri of more than 8 KiB, is refused with -32602.',
    eras: MODERN,
  },
  'listen:ends-in-good-order': {
    source: 'C-SUB-05; S-SUB-06; CU-08; SB-06',
    text: 'A subscription that the server ends gives what is left and then ends by itself.',
    eras: MODERN,
  },
  'listen:ends-when-the-server-closes': {
    source: 'S-SUB-06; SB-06',
    text: 'A server that closes ends its subscriptions in good order first.',
    eras: MODERN,
  },
  'listen:ends-when-the-server-closes-at-once': {
    source: 'S-SUB-06; SB-06',
    text: 'A server that closes without time to drain ends its subscriptions in good order all the same.',
    eras: MODERN,
  },
  'listen:events-before-the-result': {
    source: 'pitfall 8; CU-05',
    text: 'The result of a subscription does not outrun the changes before it.',
    eras: MODERN,
  },
  'listen:lost': {
    source: 'C-SUB-05; CU-08',
    text: 'Any other end is `SubscriptionLost`, after what had arrived.',
    eras: MODERN,
  },
  'listen:lost-by-cancellation': {
    source: 'CU-08; pitfall 25',
    text: 'A subscription that the server cancels without a result is lost.',
    eras: MODERN,
  },
  'listen:cancelled-in-good-order': {
    source: 'S-SUB-06; basic/utilities/cancellation',
    text: 'A cancellation that a result follows is an end in good order.',
    eras: MODERN,
  },
  'listen:ends-with-the-client': {
    source: 'CU-08; CS-02',
    text: 'When the user closes the client, a reader that waits comes to the end without an error.',
  },
  'listen:ended-before-it-began': {
    source: 'CU-09',
    text: 'A result before the acknowledgement opens a subscription that has ended and grants nothing.',
    eras: MODERN,
  },
  'listen:closed-by-the-reader': {
    source: 'C-SUB-06; S-SUB-07; CU-10',
    text: 'Leaving the loop ends the subscription on the server.',
    eras: MODERN,
  },
  'listen:signal': { source: 'api 3', text: 'A signal ends a subscription; its reader gets the reason.', eras: MODERN },
  'listen:both-modes': {
    source: 'api 3',
    text: '`listen` tells of the same changes in both modes; closing it ends it on the server.',
  },
  'listen:both-modes:subscribe-resource': {
    source: 'api 3',
    text: '`subscribeResource` and `unsubscribeResource` work in both modes; `onMessage` is told.',
  },
  'listen:handshake:shared-resource': {
    source: 'api 3',
    text: 'On a legacy connection a resource stays subscribed to until the last who watches it is done.',
    eras: LEGACY,
  },
  'listen:handshake:refused-in-part': {
    source: 'api 3',
    text: 'On a legacy connection what the server does not offer, or refuses, is not granted.',
    eras: LEGACY,
  },
  'listen:handshake:not-offered': {
    source: 'CU-02; api 3',
    text: 'On a legacy connection whose server declares no changes `listen` is a `ListenNotSupportedError`.',
    eras: LEGACY,
  },
  'listen:not-offered': {
    source: 'spec-digest 5.5',
    text: 'A server that announces nothing answers `subscriptions/listen` with -32601.',
    eras: MODERN,
  },
  'listen:malformed-filter': {
    source: 'CU-02',
    text: 'A filter of the wrong form is a `TypeError`, and nothing is sent.',
    eras: MODERN,
  },
  'listen:again-after-a-restart': {
    source: 'C-SUB-04, C-STDIO-08',
    text: 'A subscription ends with its process, and a watcher listens again over the one that is started anew.',
    eras: MODERN,
    transports: ['stdio'],
  },
  'fault:F103:refused': {
    source: 'F103; SB-04',
    text: 'A refused subscription rejects with the refusal.',
    eras: MODERN,
  },
  'fault:F103:connection-ends': {
    source: 'F103',
    text: 'A connection that ends before the acknowledgement rejects `listen`.',
    eras: MODERN,
  },
  'fault:F103:not-acknowledged-in-time': {
    source: 'F103; CU-01',
    text: 'Without an acknowledgement in time `listen` rejects, and the request is taken back.',
    eras: MODERN,
  },
  'fault:F103:listened-again': {
    source: 'F103',
    text: 'A group whose subscription is lost listens again after growing pauses, and looks what it has missed.',
    eras: MODERN,
  },

  // The response cache of a client
  'cache:fresh': { source: 'C-CACHE-01; CA-01, CA-02', text: 'A result is served again until its time is over.' },
  'cache:stale': {
    source: 'C-CACHE-01, C-CACHE-03',
    text: 'A result whose time is over is fetched anew on the next use.',
  },
  'cache:on-by-default': { source: 'CA-01', text: 'Results are kept where the server says so, and only there.' },
  'cache:off': { source: 'CA-01', text: 'A client without a cache asks each time.' },
  'cache:default-ttl': {
    source: 'CA-08',
    text: 'The default time counts where a server cannot say, and not where it says zero.',
  },
  'fault:F221:ttl-zero': {
    source: 'C-CACHE-02; F221',
    text: 'A result that is stale at once is not kept.',
  },
  'fault:F221:ttl-negative-or-absent': {
    source: 'C-CACHE-02; CA-08; pitfall 43; F221',
    text: 'A negative or absent time is none, and does not cost the result.',
    eras: MODERN,
  },
  'fault:F221:ttl-without-end': {
    source: 'CA-08; F221',
    text: 'However long a server says, a result is kept for a day at most.',
    eras: MODERN,
  },
  'cache:ttl-of-a-legacy-server': {
    source: 'CA-08; pitfall 42',
    text: 'What a server of the legacy era slips in about caching means nothing.',
    eras: LEGACY,
  },
  'cache:mode-refresh': { source: 'CA-03', text: '`refresh` asks the server and keeps the answer.' },
  'cache:mode-bypass': { source: 'CA-03', text: '`bypass` asks the server and leaves alone what is kept.' },
  'cache:mode-unknown': { source: 'CA-03', text: 'An unknown mode is a `RangeError`.' },
  'cache:meta-is-a-refresh': { source: 'CA-03', text: 'A call with `meta` of its own is not served from the cache.' },
  'cache:by-uri': { source: 'C-CACHE-04; CA-06', text: 'What was read at one uri does not answer for another.' },
  'cache:other-verbs': { source: 'CA-02', text: 'Calls, prompts, completion and the session itself are never cached.' },
  'cache:further-pages': { source: 'CA-04; C-CACHE-04', text: 'Only the first page of a listing is kept.' },
  'cache:refused-cursor': {
    source: 'CA-04; C-CACHE-09',
    text: 'A refused cursor makes the first page go, unless the call bypassed the cache.',
  },
  'cache:copies': { source: 'CA-09; pitfall 75', text: 'Whoever changes a result changes only its own.' },
  'cache:least-recently-used': { source: 'CA-13', text: 'When there is no room, what was used longest ago goes.' },
  'cache:closed-client': { source: 'CA-14', text: 'A closed client serves nothing, not even from its cache.' },
  'cache:failure-is-no-answer': { source: 'CA-16', text: 'A failed fetch fails the call, and nothing stale steps in.' },
  'cache:no-polling': { source: 'C-CACHE-06, C-CACHE-07; CA-16', text: 'Nothing is fetched because its time is over.' },
  'cache:hit-teaches': {
    source: 'CA-15; CA-02',
    text: 'A listing from the cache teaches output schemas; discovery is never cached.',
    since: '2025-06-18',
  },
  'cache:coalesced': { source: 'mcpwire', text: 'Identical calls at once share one request, and each gets a copy.' },
  'cache:coalesced-failure': { source: 'mcpwire', text: 'They share its failure too, and the next call asks again.' },
  'cache:coalesced-and-left': {
    source: 'mcpwire',
    text: 'One that is aborted leaves the request to the others.',
  },
  'cache:special-calls-are-not-shared': {
    source: 'mcpwire',
    text: 'A call with options of its own is a request of its own.',
  },

  // The cache and changes
  'cache:change:tools': {
    source: 'C-CACHE-08; CA-10',
    text: 'A change of the tools makes their listing go, and nothing else.',
  },
  'cache:change:prompts': {
    source: 'C-CACHE-08; CA-10',
    text: 'A change of the prompts makes their listing go, and nothing else.',
  },
  'cache:change:resources': {
    source: 'C-CACHE-08; CA-10',
    text: 'A change of the resources makes their listing and that of the templates go, and nothing else.',
  },
  'cache:change:one-resource': {
    source: 'C-CACHE-08; CA-10',
    text: 'An update of a resource makes exactly that one go.',
  },
  'cache:change:during-a-fetch': {
    source: 'CA-11; pitfall 73',
    text: 'A change that overtakes a fetch wins: what was fetched is not kept.',
  },
  'cache:change:during-a-write': {
    source: 'CA-11; pitfall 73',
    text: 'A change that arrives while the store writes wins too.',
  },
  'cache:change:late-write': {
    source: 'CA-11, CA-12; pitfall 73',
    text: 'A write that was given up and happens after a change leaves nothing behind.',
  },
  'cache:change:is-not-joined': {
    source: 'pitfall 73',
    text: 'A call after a change does not join a request from before it.',
  },
  'cache:change:gone-before-the-reader-knows': {
    source: 'CA-10; CU-11; pitfall 77',
    text: 'What a change made stale is gone before the reader of a subscription gets the event.',
    eras: MODERN,
  },
  'cache:change:gone-before-the-callback': {
    source: 'CA-10; pitfall 77',
    text: 'What a change made stale is gone before `onMessage` hears of it.',
  },
  'cache:change:fault:F221': {
    source: 'F221; C-CACHE-08',
    text: 'After each change nothing stale is left in the store.',
  },

  // For whom results are kept
  'fault:F221:private-results': {
    source: 'C-CACHE-05; CA-06, CA-09; F221',
    text: 'A private result is never served to another principal.',
  },
  'cache:scope:public': {
    source: 'CA-06; spec-digest 5.6',
    text: 'A public result is shared where the client says so, and only there.',
    eras: MODERN,
  },
  'cache:scope:turned-private': {
    source: 'CA-09; pitfall 74',
    text: 'A result that has become private leaves nothing public behind.',
    eras: MODERN,
  },
  'cache:scope:servers': { source: 'CA-06, CA-07', text: 'A result of one server is never served for another.' },
  'cache:scope:revisions': { source: 'CA-06, CA-16', text: 'A result of one revision is never served in another.' },
  'cache:scope:clients-of-their-own': { source: 'CA-01', text: 'Without a common store each client keeps its own.' },
  'cache:scope:keys-tell-nothing': { source: 'CA-06', text: 'The name of a server is in no key.' },
  'cache:scope:url-without-userinfo': {
    source: 'CA-07; pitfall 76',
    text: 'A server is known by its URL without user and password, and otherwise byte for byte.',
    eras: MODERN,
    transports: ['http'],
  },
  'cache:store:needs-names': {
    source: 'CA-07',
    text: 'A store of its own needs a partition, and a name for a server that has no URL.',
  },
  'cache:store:fails': {
    source: 'CA-12',
    text: 'A store that fails costs a miss and one report for each operation, until it works again.',
  },
  'cache:store:holds-nonsense': { source: 'CA-12', text: 'An entry that is none is a miss.' },
  'cache:rounds:not-kept': {
    source: 'CA-05; pitfall 72',
    text: 'A result that took more than one round is not kept.',
    eras: MODERN,
  },
  'cache:rounds:take-the-old-one-away': {
    source: 'CA-05; pitfall 72',
    text: 'A refresh that takes more than one round makes the old result go.',
    eras: MODERN,
  },
  'cache:rounds:seeded': {
    source: 'CA-05',
    text: 'A call that resumes an earlier one neither uses the cache nor fills it.',
    eras: MODERN,
  },

  // What servers say about caching
  'cache:hints:default': {
    source: 'S-CACHE-01, S-CACHE-05',
    text: 'Without a word from its author a result is private and stale at once, for all six methods.',
    eras: MODERN,
  },
  'cache:hints:by-method': { source: 'S-CACHE-01; EX-01', text: 'Hints are given by method.', eras: MODERN },
  'cache:hints:handler-wins': {
    source: 'EX-01; RU-07',
    text: 'Hints fill what a handler leaves open, and nothing else.',
    eras: MODERN,
  },
  'cache:hints:whole-and-not-negative': {
    source: 'S-CACHE-02',
    text: 'A time is sent as a whole number from 0 on, whatever a handler says.',
    eras: MODERN,
  },
  'cache:hints:unknown-scope': { source: 'S-CACHE-03', text: 'A scope that there is not is not sent.', eras: MODERN },
  'cache:hints:not-for-other-methods': {
    source: 'EX-01',
    text: 'Results that cannot be kept get no hints.',
    eras: MODERN,
  },
  'cache:hints:not-on-questions': {
    source: 'EX-01; pitfall 72',
    text: 'A result that asks for input gets no hints.',
    eras: MODERN,
  },
  'cache:hints:not-in-the-legacy-era': {
    source: 'EX-01; pitfall 41',
    text: 'In the legacy era hints are not sent, whoever gave them.',
    eras: LEGACY,
  },
  'cache:hints:checked-at-construction': {
    source: 'EX-01; S-CACHE-02, S-CACHE-03',
    text: 'Hints that cannot be are refused when the server is made.',
  },
} as const satisfies RequirementTable
