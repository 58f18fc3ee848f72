// What an MCPServer makes of plain functions: tools, resources, prompts, questions, lists, and who may use them.
import type { RequirementTable } from './entry.ts'
import { CHANNEL, DIRECT, MODERN } from './scopes.ts'

/** The first revision that has forms. */
const FORMS = { since: '2025-06-18' } as const

/** The first revision whose servers declare completion. */
const COMPLETION = { since: '2025-03-26' } as const

const TOOLS = {
  'mcpserver:tools:definition': {
    source: 'api section 7; S-TOOL-01',
    text: 'A tool is listed with its title, description, schema, annotations, icons and `_meta`.',
    since: '2025-11-25',
  },
  'mcpserver:tools:schema-libraries': {
    source: 'api section 7',
    text: 'A schema of zod, valibot, arktype, typebox or plain JSON Schema is listed and validates alike.',
  },
  'mcpserver:tools:as-values': {
    source: 'api section 3',
    text: 'A tool that is a value, given to the constructor, is served like a registered one.',
  },
  'mcpserver:tools:declared-once-registered': {
    source: 'api section 7',
    text: 'A feature is declared once something of it is registered, or when the author declares it.',
  },
  'mcpserver:tools:no-input': {
    source: 'server/tools; api section 7',
    text: 'A tool without an input takes no arguments, and its schema says so.',
  },
  'mcpserver:tools:parsed-arguments': {
    source: 'mcpwire',
    text: 'The handler gets what its schema makes of the arguments, with defaults and transformations.',
  },
  'mcpserver:tools:arguments-explained': {
    source: 'S-TOOL-12',
    text: 'Wrong arguments are explained: which one, what was expected, what came.',
  },
  'mcpserver:tools:costly-arguments': {
    source: 'api section 11; F193',
    text: 'Arguments that would take too long to check are refused with -32602, and the server goes on.',
  },
  'mcpserver:tools:alternatives-explained': {
    source: 'mcpwire',
    text: 'Where none of several alternatives fits, the one that was meant is explained, or what each would take.',
  },
  'mcpserver:tools:repair': {
    source: 'mcpwire',
    text: 'An object or list that came as JSON in a string is taken out of it, and the author is told.',
  },
  'mcpserver:tools:repair-before-explaining': {
    source: 'mcpwire',
    text: 'Wrong arguments are explained once those are repaired that can be, however deep they are.',
  },
  'mcpserver:tools:strict': { source: 'mcpwire', text: 'In strict mode nothing is repaired.' },
  'mcpserver:tools:unknown': {
    source: 'S-TOOL-10; api section 7',
    text: 'An unknown tool is refused with -32602, also under a name that JavaScript itself uses.',
  },
  'mcpserver:tools:tool-error': {
    source: 'api section 7; S-TOOL-11',
    text: 'A `ToolError` is a result with `isError` and its message.',
  },
  'mcpserver:tools:mcp-error': {
    source: 'api section 7; ER-02',
    text: 'An `MCPError` is the JSON-RPC error of the call, with code, message and data.',
  },
  'mcpserver:tools:exception': {
    source: 'api section 7',
    text: 'Any other exception is a result with `isError` that names the tool; only the author learns the rest.',
  },
  'mcpserver:tools:expose-errors': {
    source: 'api section 7',
    text: 'With `exposeErrors` the model is told what a handler threw.',
  },
  'mcpserver:tools:schema-that-throws': {
    source: 'mcpwire',
    text: 'A schema that throws is a tool that fails, and no crash.',
  },
  'mcpserver:tools:timeout': {
    source: 'api section 7',
    text: 'A tool that takes longer than its `timeoutMs` is given up with an `isError` result, and its signal aborts.',
  },
  'mcpserver:tools:timeout-without-the-user': {
    source: 'api section 7',
    text: 'The time that a user takes to answer does not count towards `timeoutMs`.',
    ...FORMS,
  },
  'mcpserver:tools:url-required': {
    source: 'client/elicitation; api section 7',
    text: 'A `UrlElicitationRequiredError` sends the user to the page in a round of the call, and is -32042 before 2026-07-28.',
    since: '2025-11-25',
  },
  'mcpserver:tools:cancelled-quietly': {
    source: 'mcpwire',
    text: 'A handler that stops because its call was cancelled is no fault.',
  },
  'fault:F194:registration-refuses': {
    source: 'F194',
    text: 'What could not be called later is refused at registration, and is not listed.',
  },
  'mcpserver:tools:broken-definitions': {
    source: 'mcpwire',
    text: 'What could not be listed is refused at registration and update by its name and member; the list stays whole.',
  },
  'mcpserver:tools:map-of-schemas': {
    source: 'mcpwire',
    text: 'A map of schemas, which as a JSON Schema would check nothing, is refused at registration.',
  },
  'mcpserver:tools:doubtful-patterns': {
    source: 'mcpwire',
    text: 'The author is told of a pattern in a schema library that one text can block the process with.',
  },
  'mcpserver:tools:header-annotations': {
    source: 'S-HDR-01, S-HDR-02, S-HDR-03',
    text: 'A tool whose header annotations are repeated or malformed is refused at registration.',
  },
  'fault:F190:no-schema-from-the-network': {
    source: 'F190',
    text: 'A schema that refers to the network is refused, and nobody is asked for it.',
  },
  'fault:F197:argument-named-proto': {
    source: 'F197',
    text: 'An argument named `__proto__` is data like any other.',
  },
} as const satisfies RequirementTable

const RESULTS = {
  'mcpserver:results:nothing': {
    source: 'api section 7',
    text: 'Nothing, and an empty list, is a result without content.',
  },
  'mcpserver:results:string': {
    source: 'api section 7',
    text: 'A string is text and nothing else, also when it looks like JSON.',
  },
  'mcpserver:results:number-and-boolean': {
    source: 'api section 7',
    text: 'A number or boolean is structured content, wrapped in an object, and its text.',
    since: '2025-06-18',
  },
  'mcpserver:results:text-for-all': {
    source: 'api section 7; S-TOOL-09',
    text: 'Every value has a text form, for clients that know no structured content.',
  },
  'mcpserver:results:list': {
    source: 'api section 7',
    text: 'A list is its items, one block each.',
  },
  'mcpserver:results:content-block': {
    source: 'api section 7',
    text: 'A content block, as of `image()`, is sent as it is.',
  },
  'mcpserver:results:mixed-list': {
    source: 'api section 7',
    text: 'Texts, pictures, sounds, links and data may be mixed in one list.',
    since: '2025-06-18',
  },
  'mcpserver:results:whole': { source: 'api section 7', text: 'A whole `CallToolResult` is sent as it is.' },
  'mcpserver:results:data-with-content': {
    source: 'api section 7',
    text: 'An object that merely has a member `content` is data and no result.',
    since: '2025-06-18',
  },
  'mcpserver:results:awaited': {
    source: 'mcpwire',
    text: 'Whatever can be awaited is awaited, promise or not.',
  },
  'mcpserver:results:no-json-form': {
    source: 'mcpwire',
    text: 'A value without a JSON form is a failure of the tool that its author learns of.',
  },
  'mcpserver:results:less-than-it-is': {
    source: 'mcpwire',
    text: 'A value that JSON would say less of than there is, such as NaN or a map, fails the call.',
  },
  'mcpserver:results:nearly-whole': {
    source: 'S-TOOL-11',
    text: 'What says it is a whole result and is none fails the call; it never becomes data of a success.',
  },
  'mcpserver:results:returned-error': {
    source: 'api section 7',
    text: 'An error that is returned counts as thrown.',
  },
  'mcpserver:results:yielded-items': {
    source: 'api section 7',
    text: 'What a handler yields is reported as progress and is the result, item by item.',
  },
  'mcpserver:results:returned-after-yields': {
    source: 'mcpwire',
    text: 'What a handler returns after yielding is the result instead.',
  },
  'mcpserver:results:iterator-stops-when-cancelled': {
    source: 'mcpwire',
    text: 'A handler that yields is ended when its call is cancelled, and can clean up.',
  },
  'mcpserver:output:listed-as-the-revision-allows': {
    source: 'api section 7; SEP-2106',
    text: 'An output that is no object is listed as it is since 2026-07-28, and wrapped in one before.',
    since: '2025-06-18',
  },
  'mcpserver:output:sent-as-listed': {
    source: 'api section 7; S-TOOL-08',
    text: 'Structured content has the form that the listing of the same revision promises.',
    since: '2025-06-18',
  },
  'mcpserver:output:whole-results-too': {
    source: 'S-TOOL-08; F195',
    text: 'A whole result is held to the output schema as well, unless it tells of a failure.',
  },
  'mcpserver:output:value-before-result': {
    source: 'S-TOOL-08',
    text: 'A value that fits the output schema is the output, though it has the look of a result.',
    since: '2025-06-18',
  },
  'fault:F201:media-is-base64': {
    source: 'F201',
    text: 'Data or a blob that is not Base64 is never sent, whether a helper made it, a literal block or contents.',
  },
} as const satisfies RequirementTable

const RESOURCES = {
  'mcpserver:resources:text': {
    source: 'api section 7',
    text: 'A string is text contents, of the MIME type that the author says or plain.',
  },
  'mcpserver:resources:json': {
    source: 'api section 7',
    text: 'An object or list is JSON text contents.',
  },
  'mcpserver:resources:whole-contents': {
    source: 'mcpwire',
    text: 'A list of contents, or a whole result, is sent as it is.',
  },
  'mcpserver:resources:listed': {
    source: 'S-RES-01',
    text: 'Resources and templates are listed with all that is known of them; the name is the uri unless given.',
    since: '2025-06-18',
  },
  'mcpserver:resources:unlisted': {
    source: 'apps A-08',
    text: 'A resource or template with `listed: false` is in no list, and is read like any other.',
  },
  'mcpserver:resources:template-variables': {
    source: 'RFC 6570',
    text: 'The reader of a template gets its variables, decoded.',
  },
  'mcpserver:resources:exact-before-template': {
    source: 'mcpwire',
    text: 'An exact uri goes before templates, and templates go in the order of registration.',
  },
  'mcpserver:resources:template-lists': {
    source: 'mcpwire',
    text: 'A template may list what it has; one that fails is left out and reported.',
  },
  'mcpserver:resources:template-lists-bad-items': {
    source: 'mcpwire',
    text: 'An item that is no resource is left out of the list, and the author learns of which template and member.',
  },
  'mcpserver:resources:reader-finds-nothing': {
    source: 'S-RES-03, S-RES-04, S-RES-05',
    text: 'A reader that returns nothing, or empty contents, means that there is no such resource.',
  },
  'mcpserver:resources:no-json-form': {
    source: 'mcpwire',
    text: 'A value that JSON would say less of than there is, is -32603, and the author learns of it.',
  },
  'fault:F199:traversal-in-any-variable': {
    source: 'F199; S-RES-07',
    text: 'A value that climbs out of where it starts is not found, in whichever kind of variable.',
  },
  'fault:F200:bad-percent-encoding': {
    source: 'F200',
    text: 'A uri with invalid percent-encoding is not found, which is no fault of the server.',
  },
  'mcpserver:resources:decoded-once': {
    source: 'F199',
    text: 'A variable is decoded once, so that what is encoded twice stays a name.',
  },
  'mcpserver:resources:allow-traversal': {
    source: 'mcpwire',
    text: 'An author whose values are no paths can let them climb.',
  },
  'mcpserver:resources:reader-fails': {
    source: 'api section 7; ER-02',
    text: 'An `MCPError` of a reader is the error of the call; any other exception is -32603 without its words.',
  },
  'mcpserver:resources:asks': {
    source: 'S-MRTR-01',
    text: 'A reader may ask the user.',
    ...FORMS,
  },
  'mcpserver:resources:as-values': {
    source: 'api section 7',
    text: 'Resources are values as well, given to the constructor or registered.',
  },
  'mcpserver:resources:registration-refuses': {
    source: 'mcpwire',
    text: 'What could not be read later is refused at registration, and is not listed.',
  },
} as const satisfies RequirementTable

const PROMPTS = {
  'mcpserver:prompts:listed': {
    source: 'S-PROMPT-01',
    text: 'A prompt is listed with the arguments of its schema: title, description, and whether they are required.',
    since: '2025-06-18',
  },
  'mcpserver:prompts:messages': {
    source: 'api section 7',
    text: 'Strings, content blocks, messages, lists of these and whole results become messages.',
  },
  'mcpserver:prompts:typed-arguments': {
    source: 'S-PROMPT-04',
    text: 'An argument is a string that may hold what the schema wants instead; one that does not is refused with -32602.',
  },
  'mcpserver:prompts:unknown': {
    source: 'S-PROMPT-03',
    text: 'An unknown prompt is refused with -32602.',
  },
  'mcpserver:prompts:no-messages': {
    source: 'mcpwire',
    text: 'A value that is no message is -32603, and the author learns of it.',
  },
  'mcpserver:prompts:asks': {
    source: 'S-MRTR-01',
    text: 'A prompt may ask the user while it is written.',
    ...FORMS,
  },
  'mcpserver:completion:declared': {
    source: 'S-COMP-01',
    text: 'Completion is declared once something can be completed.',
    ...COMPLETION,
  },
  'mcpserver:completion:in-the-schema': {
    source: 'api section 7',
    text: 'A completer that stands in the schema of an argument suggests its values, whatever was made of that schema.',
    ...COMPLETION,
  },
  'mcpserver:completion:registration-refuses': {
    source: 'mcpwire',
    text: 'A completion for an argument that a registered prompt or template does not have is refused at registration.',
    ...COMPLETION,
  },
  'mcpserver:completion:context': {
    source: 'server/completion',
    text: 'A completer knows the arguments that are chosen already.',
    since: '2025-06-18',
  },
  'mcpserver:completion:hundred-values': {
    source: 'S-COMP-03',
    text: 'At most 100 values are sent, with the total and a word that there are more.',
    ...COMPLETION,
  },
  'mcpserver:completion:has-more': {
    source: 'mcpwire',
    text: 'A completer may say itself how many there are and whether there are more.',
    ...COMPLETION,
  },
  'mcpserver:completion:by-reference': {
    source: 'api section 7',
    text: 'A registered completion goes before the one of the prompt, until it is removed.',
    ...COMPLETION,
  },
  'mcpserver:completion:unknown': {
    source: 'R31',
    text: 'A reference or argument that does not exist, or is hidden, is refused with -32602.',
    ...COMPLETION,
  },
} as const satisfies RequirementTable

const LISTS = {
  'mcpserver:pages:every-list': {
    source: 'S-PAG-01',
    text: 'With a page size every list goes page by page, in order, each item once.',
  },
  'mcpserver:pages:one-without-a-size': {
    source: 'api section 7',
    text: 'Without a page size a list is one page.',
  },
  'mcpserver:pages:foreign-cursors': {
    source: 'S-PAG-02',
    text: 'A cursor that was not handed out, or belongs to another list, is refused with -32602.',
  },
  'mcpserver:pages:stable-across-changes': {
    source: 'S-PAG-01',
    text: 'A cursor stays good whatever comes and goes: nothing that stays is lost or repeated.',
  },
  'mcpserver:pages:template-lists': {
    source: 'mcpwire',
    text: 'Pages go through registered resources and those that templates list alike.',
  },
  'mcpserver:pages:template-lists-stable': {
    source: 'S-PAG-01',
    text: 'What goes from the list of a template between two pages takes nothing else along.',
  },
  'mcpserver:handles:update': {
    source: 'api section 7',
    text: 'An update changes what is given, keeps the rest, and keeps the place in the list.',
  },
  'mcpserver:handles:update-that-fails': {
    source: 'mcpwire',
    text: 'An update that cannot be registered throws, and nothing has changed.',
  },
  'mcpserver:handles:disable-and-enable': {
    source: 'api section 7',
    text: 'What is disabled is as if it had never been registered, until it is enabled.',
  },
  'mcpserver:handles:remove': {
    source: 'api section 7',
    text: 'What is removed is gone for good, and its name is free.',
  },
  'mcpserver:handles:announce': {
    source: 'api section 7',
    text: 'Registering, updating, disabling, enabling and removing announce a changed list in both eras.',
  },
  'mcpserver:handles:announce-once-a-turn': {
    source: 'mcpwire',
    text: 'The changes of one turn are announced once per list.',
  },
  'mcpserver:resources:notify-updated': {
    source: 'api section 7',
    text: 'Whoever watches a resource is told when the server or a handler says that it has changed.',
  },
  'mcpserver:duplicates:refused': {
    source: 'mcpwire',
    text: 'A name or uri that is taken is refused, and the first stays.',
  },
  'mcpserver:duplicates:replaced': {
    source: 'mcpwire',
    text: 'Where the author says replace, the second takes the place of the first.',
  },
} as const satisfies RequirementTable

const ASKING = {
  'mcpserver:ask:decline-and-cancel': {
    source: 'api section 7; client/elicitation',
    text: 'A handler learns whether the user declined or cancelled, without content.',
    ...FORMS,
  },
  'mcpserver:ask:typed-content': {
    source: 'api section 7',
    text: 'The content of an answer is what the schema makes of it.',
    ...FORMS,
  },
  'mcpserver:ask:url': {
    source: 'api section 7; client/elicitation',
    text: 'A handler sends the user to a page and waits for the word.',
    since: '2025-11-25',
  },
  'mcpserver:ask:model-and-roots': {
    source: 'api section 7',
    text: 'A handler asks the model of the client, and for its roots, in the same straight line.',
  },
  'mcpserver:ask:same-question-twice': {
    source: 'mcpwire',
    text: 'The same question asked twice gets an answer to each.',
    ...FORMS,
  },
  'mcpserver:ask:together-in-one-round': {
    source: 'S-MRTR-01; S-MRTR-04',
    text: 'Independent questions asked together go out in one round.',
    ...FORMS,
  },
  'mcpserver:ask:only-what-is-open': {
    source: 'S-MRTR-01',
    text: 'A round asks only what has no answer yet, and an answer once recorded stays.',
    ...MODERN,
  },
  'mcpserver:steps:failed-may-run-again': {
    source: 'mcpwire',
    text: 'A step that failed is not remembered and may run again.',
  },
  'mcpserver:steps:mistakes': {
    source: 'mcpwire',
    text: 'A step whose value is no JSON, whose name is taken or that asks fails at once, in every era.',
  },
  'mcpserver:ask:capability-missing': {
    source: 'S-MRTR-05',
    text: 'A client that cannot be asked fails the call at that question: with -32021 where the specification has it, as a failure of the tool before that.',
    ...FORMS,
  },
  'mcpserver:ask:can-do-without': {
    source: 'mcpwire',
    text: 'A handler can catch that the client cannot answer, and do without.',
  },
  'mcpserver:ask:form-must-be-flat': {
    source: 'client/elicitation',
    text: 'A form that is not flat is never asked, and the author learns which property it is.',
    ...FORMS,
  },
  'mcpserver:ask:any-schema-library': {
    source: 'api section 7; client/elicitation; S-ELIC-02',
    text: 'Choices, fields that may be null and formats beyond those of forms can be asked for with every schema library.',
    ...FORMS,
  },
  'mcpserver:ask:titled-choices': {
    source: 'client/elicitation; S-ELIC-02',
    text: 'The texts of choices reach the user in the form that the revision has for them.',
    ...FORMS,
  },
  'mcpserver:ask:misfitting-answer': {
    source: 'api section 7; S-MRTR-10',
    text: 'An answer that does not fit its question is refused with -32602 and the key.',
    ...MODERN,
  },
  'mcpserver:ask:nondeterministic': {
    source: 'mcpwire',
    text: 'A handler that asks something else when it is run again gets an error, never a wrong answer.',
    ...MODERN,
  },
  'mcpserver:ask:patience': {
    source: 'mcpwire',
    text: 'The author sets how long branches that run side by side may take to come back to what was answered.',
    ...MODERN,
  },
  'mcpserver:ask:after-the-end': {
    source: 'api section 7; api section 9',
    text: 'A question that is asked when the handler has ended fails at once, and nothing waits for it.',
    ...FORMS,
  },
  'mcpserver:ask:closing-what-is-open': {
    source: 'api section 7',
    text: 'The signal of a run that waits for answers aborts, so that what it has opened can be closed in every round.',
    ...FORMS,
  },
  'mcpserver:state:forged': {
    source: 'F099; RS-02',
    text: 'A state that this server did not make is refused before the handler, and only the author learns why.',
    ...MODERN,
  },
  'mcpserver:state:store': {
    source: 'api section 7',
    text: 'State beyond the limit goes to the store, and only a reference to the client.',
    ...MODERN,
  },
  'mcpserver:state:store-forgets': {
    source: 'mcpwire',
    text: 'A call that has ended leaves nothing in the store, unless the client may put its answer right and call again.',
    ...MODERN,
  },
  'mcpserver:state:too-large': {
    source: 'mcpwire',
    text: 'State beyond the limit without a store fails the call, and the author reads which limit.',
    ...MODERN,
  },
  'mcpserver:ask:own-result': {
    source: 'api section 7',
    text: 'A handler may return an `InputRequiredResult` itself, where the revision has it.',
    ...FORMS,
  },
} as const satisfies RequirementTable

const ACCESS = {
  'mcpserver:visible:hides-in-lists': {
    source: 'R31',
    text: 'What a caller may not see is in none of its lists.',
    ...CHANNEL,
  },
  'regression:R31:hidden-is-refused-as-unknown': {
    source: 'R31',
    text: 'What a caller may not see is refused in the very words of what does not exist, and never runs.',
    ...CHANNEL,
  },
  'mcpserver:visible:undecided-hides': {
    source: 'mcpwire',
    text: 'A `visible` that throws or does not return `true` hides.',
  },
  'mcpserver:visible:no-boolean-is-reported': {
    source: 'mcpwire',
    text: 'A `visible` that returns a promise or anything else but a boolean hides, and its author is told once.',
  },
  'mcpserver:scopes:hidden-and-refused-with-what-is-needed': {
    source: 'api section 7',
    text: 'A caller without the scopes of a tool does not see it, is refused before it runs, and told which are needed.',
    ...CHANNEL,
  },
  'mcpserver:requires:checked-before-the-handler': {
    source: 'api section 7',
    text: 'What a tool requires of the client is checked before anything runs.',
  },
  'mcpserver:context:members': {
    source: 'api section 7',
    text: 'A handler knows the revision, the client and its capabilities, the request and the lifespan.',
  },
  'mcpserver:context:auth': {
    source: 'api section 7',
    text: 'A handler knows the verified caller.',
    ...CHANNEL,
  },
  'mcpserver:context:progress': {
    source: 'api section 7',
    text: 'Progress reaches a caller that asked for it, and is nothing to one that did not.',
  },
  'mcpserver:context:log': {
    source: 'api section 7',
    text: 'A handler logs at the levels that the client wants, and logging is declared.',
  },
  'mcpserver:context:signal': {
    source: 'api section 7',
    text: 'The signal of a handler aborts when the client cancels.',
  },
  'mcpserver:context:read-resource': {
    source: 'api section 7',
    text: 'A handler reads the resources of its server as its caller would.',
  },
  'mcpserver:context:ambient': {
    source: 'mcpwire',
    text: 'The context is at hand without being passed along, where the author asks for that.',
  },
  'mcpserver:middleware:around-calls': {
    source: 'api section 7',
    text: 'A middleware may answer in place of a handler.',
  },
  'mcpserver:direct:calls-without-a-client': {
    source: 'api section 7',
    text: 'Tools, resources, prompts and completion can be called without a client.',
    ...DIRECT,
  },
  'mcpserver:direct:caller-and-lifespan': {
    source: 'mcpwire',
    text: 'A call without a client can say who calls, and opens and closes the lifespan.',
    ...DIRECT,
  },
  'mcpserver:direct:nobody-to-ask': {
    source: 'mcpwire',
    text: 'A call without a client has nobody to ask.',
    ...DIRECT,
  },
} as const satisfies RequirementTable

export const MCPSERVER = {
  ...TOOLS,
  ...RESULTS,
  ...RESOURCES,
  ...PROMPTS,
  ...LISTS,
  ...ASKING,
  ...ACCESS,
} as const satisfies RequirementTable
