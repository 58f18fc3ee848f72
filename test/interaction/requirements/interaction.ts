// What happens between the two sides while a call is open: questions, answers, state, extensions, groups, faults.
import type { RequirementTable } from './entry.ts'

const MODERN = { eras: ['modern'] } as const satisfies Partial<RequirementTable[string]>
const LEGACY = { eras: ['legacy'] } as const satisfies Partial<RequirementTable[string]>
/** The server, the client or the channel is written by the test. */
const SCRIPTED = { transports: ['memory'] } as const satisfies Partial<RequirementTable[string]>

const ROUNDS = {
  'mrtr:call:answers-and-retries': {
    ...MODERN,
    source: 'C-MRTR-01, C-MRTR-02, CL-24',
    text: 'A call that asks is repeated with its own params and the answers under their keys.',
  },
  'mrtr:prompt:answers-and-retries': {
    ...MODERN,
    source: 'C-MRTR-02, CL-28',
    text: 'A prompt may ask before it is given.',
  },
  'mrtr:read:answers-and-retries': {
    ...MODERN,
    source: 'C-MRTR-02, CL-28',
    text: 'A resource may ask before it is read.',
  },
  'mrtr:call:all-three-kinds': {
    ...MODERN,
    source: 'S-MRTR-05, CS-22',
    text: 'One result may hold a form, a sampling request and a request for roots; each goes to its callback.',
  },
  'mrtr:state:byte-exact': {
    ...MODERN,
    source: 'C-MRTR-03, C-MRTR-05, pitfall 61',
    text: 'The state comes back byte for byte, whatever it looks like.',
  },
  'mrtr:state:empty-is-a-state': { ...MODERN, source: 'C-MRTR-03', text: 'An empty state comes back as well.' },
  'mrtr:state:absent-stays-absent': {
    ...MODERN,
    source: 'C-MRTR-04',
    text: 'No state is sent when the latest result had none, even if an earlier one had.',
  },
  'mrtr:retry:new-id': { ...MODERN, source: 'C-MRTR-06, CL-24', text: 'Each leg of a call has an id of its own.' },
  'mrtr:retry:only-latest-round': {
    ...MODERN,
    source: 'C-MRTR-07',
    text: 'A leg carries the answers of the latest round and no others.',
  },
  'mrtr:retry:parallel-calls-apart': {
    ...MODERN,
    source: 'C-MRTR-07',
    text: 'Answers and state of one call are never sent with another that runs at the same time.',
  },
  'mrtr:retry:keeps-meta': {
    ...MODERN,
    source: 'basic/patterns/mrtr',
    text: 'Every leg carries the same envelope and the `_meta` of the caller.',
  },
  'mrtr:retry:progress-on-each-leg': {
    ...MODERN,
    source: 'basic/patterns/mrtr',
    text: 'Progress of every leg reaches the caller.',
  },
  'mrtr:callbacks:concurrent': { ...MODERN, source: 'CL-24', text: 'The questions of one round are asked at once.' },
  'mrtr:callbacks:refusal-stops-siblings': {
    ...MODERN,
    source: 'CL-26, pitfall 63',
    text: 'The first refused question ends the call and tells the callbacks of its siblings to stop.',
  },
  'mrtr:callbacks:refusal-is-local': {
    ...MODERN,
    source: 'C-MRTR-12, CL-26',
    text: 'A refusal has no form on the wire: it fails the call on this side, as the error that the callback threw.',
  },
  'mrtr:callbacks:unexpected-error': {
    ...MODERN,
    source: 'CL-26',
    text: 'What else a callback throws reaches the caller unchanged, and nothing more is sent.',
  },
  'mrtr:callbacks:key-is-request-id': {
    ...MODERN,
    source: 'CS-21',
    text: 'A callback reads the key of its question as the id of the request.',
  },
  'mrtr:keys:prototype-names': {
    ...MODERN,
    source: 'R46, F055',
    text: 'A question named like a member of every object (R46) is one like any other.',
  },
  'mrtr:rounds:several': {
    ...MODERN,
    source: 'C-MRTR-10',
    text: 'A server may ask as often as it needs, with questions, with a state, or with both.',
  },
  'fault:F098:rounds-are-capped': {
    ...MODERN,
    source: 'F098, C-MRTR-11, CL-25',
    text: 'A server that never stops asking is given up after ten rounds, or as many as the client allows.',
  },
  'mrtr:rounds:none-allowed': {
    ...MODERN,
    source: 'CL-25',
    text: 'With no rounds allowed, the first question ends the call and nobody is asked.',
  },
  'mrtr:rounds:state-only-backoff': {
    ...MODERN,
    source: 'CL-27, pitfall 62',
    text: 'A state without questions is retried after a pause that doubles from 50 ms to 250 ms.',
  },
  'mrtr:rounds:question-resets-backoff': {
    ...MODERN,
    source: 'CL-27',
    text: 'After a round with questions the pauses begin anew.',
  },
  'mrtr:seed:first-leg': {
    ...MODERN,
    source: 'CL-28',
    text: 'A call that was interrupted can go on with answers and a state from before.',
  },
  'mrtr:seed:first-leg-only': {
    ...MODERN,
    source: 'CL-28, C-MRTR-07',
    text: 'Answers and state to begin with are sent once.',
  },
  'mrtr:timeout:answering-not-counted': {
    source: 'api section 3',
    text: 'While a callback answers a question of a call, the time-out of that call stands still.',
  },
  'mrtr:timeout:each-leg': { ...MODERN, source: 'CL-28', text: 'The time-out holds for each leg by itself.' },
  'mrtr:timeout:total-covers-all-rounds': {
    ...MODERN,
    source: 'api section 3',
    text: 'The limit of total time covers all legs and the pauses between them.',
  },
  'mrtr:abort:while-a-callback-answers': {
    ...MODERN,
    source: 'api section 3',
    text: 'Aborting a call aborts the callback that answers for it, and no further leg is sent.',
  },
  'mrtr:abort:during-backoff': { ...MODERN, source: 'api section 3', text: 'Aborting a call ends its pause.' },
  'mrtr:cache:result-not-kept': {
    ...MODERN,
    source: 'C-MRTR-09, CA-05, pitfall 72',
    text: 'A result that took more than one leg is never served to another call.',
  },
  'mrtr:cache:seeded-not-kept': {
    ...MODERN,
    source: 'C-MRTR-09, CA-05',
    text: 'A result of a call that began with a state is neither kept nor served from what is kept.',
  },
  'mrtr:cache:question-purges': {
    ...MODERN,
    source: 'CA-05, pitfall 72',
    text: 'A refresh that turns into a question throws away what was kept.',
  },
  'mrtr:cache:no-hints-on-question': {
    ...MODERN,
    source: 'S-MRTR-15, pitfall 72',
    text: 'A result that asks carries no caching hints.',
  },
  'mrtr:session:returns-question': {
    ...MODERN,
    source: 'CL-29, CS-22',
    text: 'A session hands the question to a caller who allows that, and answers it when asked to.',
  },
  'mrtr:session:refuses-otherwise': {
    ...MODERN,
    source: 'CL-29',
    text: 'A session refuses a question that the caller did not allow, and says what to do.',
  },
  'mrtr:server:request-is-over': {
    ...MODERN,
    source: 'S-MRTR-11',
    text: 'A request that asked is over: the server keeps nothing open for a client that may never return.',
  },
  'mrtr:server:malformed-responses': {
    ...MODERN,
    source: 'S-MRTR-12',
    text: 'Answers of the wrong form are refused before the handler runs.',
  },
  'mrtr:server:asks-again': {
    ...MODERN,
    source: 'S-MRTR-13, S-MRTR-14',
    text: 'Unknown keys do no harm, and a server whose answer is missing may simply ask again.',
  },
  'mrtr:server:undeclared-question': {
    ...MODERN,
    source: 'S-MRTR-06, S-ELIC-01, S-SAMP-01, F093',
    text: 'A question that this request did not declare an answer for becomes error -32021, which names what is missing.',
  },
  'mrtr:server:neither-question-nor-state': {
    ...MODERN,
    source: 'S-MRTR-03',
    text: 'A handler that asks without a question and without a state has failed, and the author learns of it.',
  },
  'mrtr:server:only-known-questions': {
    ...MODERN,
    source: 'S-MRTR-05',
    text: 'Only elicitation, sampling and roots can be asked for in a result.',
  },
  'mrtr:server:only-three-methods': {
    ...MODERN,
    source: 'S-MRTR-02',
    text: 'Other methods than the three that may ask cannot answer with a question.',
  },
  'mrtr:client:other-methods-refused': {
    ...MODERN,
    ...SCRIPTED,
    source: 'C-MRTR-08',
    text: 'A question in answer to another method is an invalid result, and nobody is asked.',
  },
  'mrtr:client:neither-question-nor-state': {
    ...MODERN,
    ...SCRIPTED,
    source: 'S-MRTR-03',
    text: 'A result that asks for nothing is invalid and is not retried.',
  },
  'fault:F093:undeclared-question-in-a-result': {
    ...MODERN,
    ...SCRIPTED,
    source: 'F093, C-MRTR-12',
    text: 'A question that the client did not declare reaches no callback and fails the call here.',
  },
  'mrtr:handshake:not-a-result': {
    ...LEGACY,
    source: 'S-MRTR-01',
    text: 'On a legacy connection a result that asks is a fault of the handler.',
  },
  'mrtr:handshake:fields-not-sent': {
    ...LEGACY,
    source: 'C-MRTR-07',
    text: 'Answers and state are members of a later revision and stay here on a legacy connection.',
  },
} as const satisfies RequirementTable

const STATE = {
  'state:seal:opaque-outside': {
    ...MODERN,
    source: 'S-MRTR-08, RS-01, RS-03, pitfall 64',
    text: 'A sealed state is a token to the client and itself again to the handler.',
  },
  'state:seal:new-token-each-round': {
    ...MODERN,
    source: 'RS-05, pitfall 64',
    text: 'Each round has a seal of its own, even for the same state.',
  },
  'state:seal:prompts-and-resources': {
    ...MODERN,
    source: 'RS-01',
    text: 'Prompts and resources hand out sealed states as tools do.',
  },
  'state:seal:empty-state': { ...MODERN, source: 'C-MRTR-03, RS-11', text: 'An empty state is sealed and comes back.' },
  'state:seal:lone-surrogates': {
    ...MODERN,
    source: 'pitfall 71',
    text: 'Half of a surrogate pair in the state or in the arguments survives sealing.',
  },
  'state:seal:not-a-string': {
    ...MODERN,
    source: 'RS-10',
    text: 'A state that cannot be sealed is an internal error and never leaves unsealed.',
  },
  'state:null:is-no-state': { ...MODERN, source: 'RS-11', text: 'A state of null says that there is none.' },
  'state:binding:argument-order': {
    ...MODERN,
    source: 'RS-05',
    text: 'The order of members in the arguments does not matter to the seal.',
  },
  'state:binding:salient-params-only': {
    ...MODERN,
    source: 'S-MRTR-09, pitfall 66',
    text: 'Only name and arguments bind a state; `_meta` and answers may differ from leg to leg.',
  },
  'fault:F099:refusals-cannot-be-told-apart': {
    ...MODERN,
    source: 'F099, R39, S-MRTR-07, S-MRTR-08, RS-06, pitfall 64',
    text: 'A state that is altered, truncated, foreign or from another call gets one and the same refusal, and no handler runs.',
  },
  'fault:F099:expired': {
    ...MODERN,
    source: 'F099, R39, S-MRTR-09, RS-05',
    text: 'A state is good until it expires and refused from that moment on.',
  },
  'state:clock:may-be-a-minute-ahead': {
    ...MODERN,
    source: 'RS-06',
    text: 'A state from a server whose clock is up to a minute ahead is accepted.',
  },
  'state:claims:not-a-number': {
    ...MODERN,
    source: 'pitfall 67',
    text: 'A time that is not a number never counts as valid.',
  },
  'fault:F099:other-principal': {
    ...MODERN,
    ...SCRIPTED,
    source: 'F099, R39, S-MRTR-09, S-ELIC-07, RS-07, pitfall 65',
    text: 'A state belongs to the caller it was made for, known or unknown, in both directions.',
  },
  'state:principal:fails-closed': {
    ...MODERN,
    source: 'RS-07, I9',
    text: 'When it cannot be found out who is calling, the state is refused.',
  },
  'fault:F099:key-rotation': {
    ...MODERN,
    source: 'F099, R39, RS-04',
    text: 'The first key seals, all keys open, and a key that was taken away opens nothing.',
  },
  'state:keys:random-without-any': {
    ...MODERN,
    source: 'RS-02',
    text: 'Without keys each seal makes one of its own, which no other shares.',
  },
  'fault:F100:retried-twice-runs-once': {
    ...MODERN,
    source: 'F100, S-MRTR-10',
    text: 'With a memory for spent states, two retries at the same time run the handler once.',
  },
  'state:refusal:listener-cannot-change-it': {
    ...MODERN,
    source: 'RS-06',
    text: 'Whoever listens for refusals cannot change what the client sees of them.',
  },
  'state:middleware:leaves-others-alone': {
    ...MODERN,
    source: 'RS-01',
    text: 'Members of the same name in other methods are none of its business.',
  },
} as const satisfies RequirementTable

const FORMS = {
  'elicit:form:accept': {
    since: '2025-06-18',
    source: 'C-ELIC-01, S-ELIC-03, S-ELIC-06',
    text: 'A form reaches the callback, and what the user filled in reaches the server.',
  },
  'elicit:form:decline': { since: '2025-06-18', source: 'S-ELIC-06', text: 'A no is an answer.' },
  'elicit:form:cancel': { since: '2025-06-18', source: 'S-ELIC-06', text: 'No answer is an answer as well.' },
  'elicit:form:content-only-with-accept': {
    since: '2025-06-18',
    source: 'client/elicitation',
    text: 'Content that a callback returns with a no never leaves the client.',
  },
  'elicit:form:mode-absent-is-form': {
    since: '2025-06-18',
    source: 'C-ELIC-02',
    text: 'A question without a mode is a form.',
  },
  'elicit:form:defaults-filled-in': {
    since: '2025-11-25',
    source: 'C-ELIC-05',
    text: 'Fields that were left out get the default of the form, whatever their kind.',
  },
  'elicit:form:prototype-names': {
    since: '2025-11-25',
    source: 'R46, F059',
    text: 'Fields named like members of every object (R46) are fields like any other.',
  },
  'elicit:form:several-choices': {
    since: '2025-11-25',
    source: 'S-ELIC-02',
    text: 'A field may take several choices, and the choices may have titles.',
  },
  'elicit:form:answer-checked-before-it-leaves': {
    since: '2025-06-18',
    source: 'C-ELIC-04, CS-11',
    text: 'Content that does not fit the form is not sent; the application learns of it as a fault.',
  },
  'elicit:form:answer-checked-on-arrival': {
    ...LEGACY,
    ...SCRIPTED,
    since: '2025-06-18',
    source: 'S-ELIC-05',
    text: 'Content that does not fit the form never reaches the handler.',
  },
  'elicit:form:content-with-a-no-is-dropped': {
    ...LEGACY,
    ...SCRIPTED,
    since: '2025-06-18',
    source: 'S-ELIC-05',
    text: 'Content that comes with a no is not shown to the handler.',
  },
  'elicit:form:flat-schema-only': {
    ...LEGACY,
    since: '2025-06-18',
    source: 'S-ELIC-02',
    text: 'A form that is not flat is refused before anything is sent.',
  },
  'elicit:form:not-declared-not-sent': {
    ...LEGACY,
    since: '2025-06-18',
    source: 'S-ELIC-01',
    text: 'A client that declares no elicitation is not asked.',
  },
  'elicit:form:mode-not-declared-not-sent': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-01, CN-15',
    text: 'A client that declares only URLs is not sent a form.',
  },
  'elicit:form:alias': { ...LEGACY, since: '2025-06-18', source: 'CN-09', text: 'The older name does the same.' },
  'elicit:capability:declared-with-callback': {
    source: 'C-ELIC-01, CS-08',
    text: 'Elicitation is declared exactly when there is a callback for it, in the modes that it was said to have.',
  },
  'elicit:revision:since-2025-06-18': {
    ...LEGACY,
    source: 'client/elicitation',
    text: 'Revisions before 2025-06-18 have no elicitation, and nothing is sent there.',
  },
  'elicit:callback:knows-the-server': {
    since: '2025-06-18',
    source: 'C-ELIC-09',
    text: 'A callback can tell the user which server is asking.',
  },
} as const satisfies RequirementTable

const URLS = {
  'url:ask:accept': {
    since: '2025-11-25',
    source: 'C-ELIC-09, S-ELIC-03',
    text: 'The callback gets the full URL as it was sent, and its consent reaches the server.',
  },
  'url:ask:no-content': { since: '2025-11-25', source: 'C-ELIC-06', text: 'An answer to a URL has no content.' },
  'url:ask:never-fetched': {
    since: '2025-11-25',
    source: 'C-ELIC-07, C-ELIC-08',
    text: 'Nobody but the application touches the URL.',
  },
  'url:ask:id-made-or-given': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-03',
    text: 'Each visit has an id, made here unless the server gives one.',
  },
  'url:ask:valid-url-only': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-03, S-ELIC-10',
    text: 'What is no plain http or https URL is refused before anything is sent.',
  },
  'url:ask:mode-not-declared-not-sent': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-01',
    text: 'A client that declares forms only is not sent a URL.',
  },
  'url:ask:client-refuses-undeclared-mode': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-ELIC-03, F093',
    text: 'A mode that the client did not declare is answered with -32602 and reaches no callback.',
  },
  'url:complete:reaches-the-client': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-09, CN-09',
    text: 'The end of a visit is told to the client by its id.',
  },
  'url:complete:only-to-who-was-asked': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-ELIC-09',
    text: 'The end of a visit is told to nobody else.',
  },
  'url:complete:unknown-id-does-no-harm': {
    ...LEGACY,
    ...SCRIPTED,
    since: '2025-11-25',
    source: 'C-ELIC-10',
    text: 'The end of an unknown visit changes nothing.',
  },
  'url:complete:gone-in-the-modern-era': {
    ...MODERN,
    source: 'client/elicitation',
    text: 'The modern era has no such notification, so that sending it is a mistake.',
  },
  'url:error:carries-elicitations': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-ELIC-11, S-ELIC-08',
    text: 'An error that asks for visits reaches the caller as such, with all of them.',
  },
  'url:error:call-can-be-repeated': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-ELIC-11',
    text: 'After the visit the caller can repeat its call.',
  },
  'url:error:malformed-is-a-plain-error': {
    ...SCRIPTED,
    source: 'C-ELIC-11',
    text: 'An error of that code with other data is an ordinary error.',
  },
} as const satisfies RequirementTable

const MODELS = {
  'sampling:ask:answer': {
    source: 'C-SAMP-01',
    text: 'A question to the model reaches the callback and its answer the server.',
  },
  'sampling:ask:all-wishes-reach-the-callback': {
    source: 'C-SAMP-03, C-SAMP-04',
    text: 'The limit of tokens, the hints in their order and all other wishes reach the callback as they were sent.',
  },
  'sampling:capability:declared-with-callback': {
    source: 'C-SAMP-01, C-SAMP-02, CS-08',
    text: 'Sampling is declared exactly when there is a callback for it, with what that can do beyond plain messages.',
  },
  'sampling:ask:not-declared-not-sent': {
    ...LEGACY,
    source: 'S-SAMP-04',
    text: 'A client that declares no sampling is not asked, and the error names what is missing.',
  },
  'sampling:ask:client-refuses-undeclared': {
    ...LEGACY,
    source: 'F093, CS-09',
    text: 'A client without the callback answers that it has no such method.',
  },
  'sampling:refusal:reaches-the-server': {
    ...LEGACY,
    source: 'C-SAMP-06',
    text: 'A refusal of the user reaches the server with its code and message.',
  },
  'sampling:answer:checked-before-it-leaves': {
    source: 'CS-11',
    text: 'An answer of the wrong form does not leave the client.',
  },
  'sampling:tools:not-declared-not-sent': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-01, CN-10',
    text: 'Tools and a choice of tools are not sent to a client that did not declare them.',
  },
  'sampling:tools:client-refuses-undeclared': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-SAMP-02, F093',
    text: 'A client that did not declare tools refuses a question that has some, and its callback hears nothing.',
  },
  'sampling:tools:round-trip': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-SAMP-02, C-SAMP-08',
    text: 'With tools the answer may be a list with tool uses, whose `_meta` is kept.',
  },
  'sampling:tools:history-keeps-meta': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'C-SAMP-08, S-SAMP-03',
    text: 'Tool uses and results of earlier turns reach the model with their `_meta`.',
  },
  'sampling:tools:none-given-none-used': {
    ...LEGACY,
    ...SCRIPTED,
    since: '2025-11-25',
    source: 'api section 9',
    text: 'Without tools the answer is a single block and no tool use; anything else does not reach the handler.',
  },
  'sampling:rules:results-stand-alone': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-03',
    text: 'A message with tool results that holds anything else is not sent.',
  },
  'sampling:rules:every-use-has-its-result': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-03, CN-10',
    text: 'A tool use without its result in the next message is not sent.',
  },
  'sampling:rules:every-result-has-its-use': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-03, CN-10',
    text: 'A tool result without a tool use before it is not sent.',
  },
  'sampling:rules:client-refuses-broken': {
    source: 'C-SAMP-05',
    text: 'A client refuses messages that leave a tool use unresolved, whatever the server thinks of them.',
    eras: ['legacy'],
    since: '2025-11-25',
  },
  'sampling:rules:roles': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-05',
    text: 'Tool uses belong to the assistant, tool results to the user.',
  },
  'sampling:rules:ids-differ': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-03',
    text: 'Two tool uses of one message must not have the same id.',
  },
  'sampling:context:not-declared-not-sent': {
    ...LEGACY,
    since: '2025-11-25',
    source: 'S-SAMP-02',
    text: 'The context of servers is asked for only where the client declared that it can give it.',
  },
  'sampling:content:known-to-the-revision': {
    ...LEGACY,
    source: 'S-SAMP-05',
    text: 'Content that the revision does not know is not sent.',
  },
} as const satisfies RequirementTable

const FOLDERS = {
  'roots:list:answer': { source: 'C-ROOT-01', text: 'A server gets the roots that the callback gives.' },
  'roots:list:sent-with-params': {
    transports: ['memory', 'stdio', 'http', 'fetch', 'sse'],
    source: 'C-ROOT-01',
    text: 'The question about roots has params also where a handler leaves them out: some clients cannot read it without.',
  },
  'roots:list:empty': { source: 'C-ROOT-01', text: 'No roots are an answer.' },
  'roots:list:has-params': {
    source: 'interoperability',
    text: 'A question for roots has params in both eras: there are clients that take no request without.',
    transports: ['memory', 'stdio'],
  },
  'roots:list:verb': { ...LEGACY, source: 'CN-09', text: 'A session has a verb for it.' },
  'roots:list:file-uris-only': {
    source: 'C-ROOT-02, CS-11',
    text: 'A root that is no file does not leave the client.',
  },
  'roots:list:not-declared-not-sent': {
    ...LEGACY,
    source: 'S-ROOT-01, C-ROOT-04, F093',
    text: 'A client without roots is not asked, and answers -32601 if it is.',
  },
  'roots:capability:declared-with-callback': {
    source: 'C-ROOT-01, CS-08',
    text: 'Roots are declared exactly when there is a callback; changes only in the era that can tell of them.',
  },
  'roots:changed:server-asks-again': {
    ...LEGACY,
    source: 'C-ROOT-03, CL-20',
    text: 'A server that hears of a change can ask from within that notification.',
  },
  'roots:changed:gone-in-the-modern-era': {
    ...MODERN,
    source: 'client/roots, CL-20',
    text: 'The modern era has no such notification: it fails here and sends nothing.',
  },
} as const satisfies RequirementTable

const SESSIONS = {
  'fault:F094:no-way-back-fails-at-once': {
    ...MODERN,
    source: 'F094, S-MRTR-01, CN-14',
    text: 'On a modern connection every question by way of a request fails at once, and the handler goes on.',
  },
  'back-channel:modern:standalone-fails-too': {
    ...MODERN,
    source: 'F094, CN-03',
    text: 'The standalone way is none either, and both say so beforehand.',
  },
  'back-channel:handshake:both-ways': {
    ...LEGACY,
    source: 'CN-08, CN-13',
    text: 'A handler can ask by the way of its request and by the standalone one.',
  },
  'back-channel:handshake:ping': { ...LEGACY, source: 'CN-09, CS-10', text: 'A client answers a ping by itself.' },
  'back-channel:handshake:vendor-method-unknown': {
    ...LEGACY,
    source: 'CS-10',
    text: 'A request of a vendor is answered with -32601 by a client that has no such method.',
  },
  'back-channel:handshake:after-the-handler': {
    ...LEGACY,
    source: 'CN-07',
    text: 'After a handler has returned its own way is closed; the standalone one is not.',
  },
  'session:client:facts': {
    source: 'CN-13',
    text: 'A handler can read who is calling, what they declared and which revision they speak.',
  },
  'session:capability:checked': {
    source: 'CN-04, B-EXT-06',
    text: 'A declared capability is found by its parts, where the revision has it; an empty elicitation means forms, an extension is there or not.',
  },
  'session:request:concurrent': {
    ...LEGACY,
    source: 'CS-12, pitfall 6',
    text: 'Several questions of one handler get each its own answer, in whichever order these come.',
  },
  'session:request:taken-back': {
    ...LEGACY,
    source: 'pitfall 16, pitfall 25, CS-12',
    text: 'A question that the server takes back aborts its callback and gets no answer.',
  },
  'session:request:aborted-before-it-is-sent': {
    ...LEGACY,
    source: 'F095, pitfall 17',
    text: 'A question whose signal is aborted already is not sent, and neither is its cancellation.',
  },
  'session:request:timeout': {
    ...LEGACY,
    source: 'B-TIME-01',
    text: 'A question without an answer in time fails here and is taken back there.',
  },
  'session:request:progress-of-the-client': {
    ...LEGACY,
    source: 'basic/utilities/progress',
    text: 'A client can tell how far it is with a question.',
  },
  'session:request:answer-checked': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CN-06',
    text: 'An answer that its revision does not allow never reaches the handler.',
  },
  'session:request:client-goes-away': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'F084',
    text: 'A question to a client that goes away fails as a closed connection.',
  },
  'session:request:client-closes': {
    ...LEGACY,
    source: 'F084, pitfall 84, CS-02',
    text: 'A client that closes tells its callbacks, refuses what it was asked and ends its own calls.',
  },
  'session:notify:never-rejects': { source: 'CN-05', text: 'Telling a client that is gone does nothing.' },
  'session:way:related-or-standalone': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CN-08, api section 9',
    text: 'Requests and log messages go with their request unless told otherwise; changes always go by the standalone way.',
  },
  'session:way:cancel-goes-the-same': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'pitfall 21',
    text: 'The cancellation of a question goes the way that the question went.',
  },
  'connection:raw:answer-reaches-onfault': {
    ...LEGACY,
    source: 'api section 9, F041',
    text: 'A raw request is sent as it is, and what comes back to it is shown as an unmatched response.',
  },
  'connection:state:lives-with-the-connection': {
    ...LEGACY,
    source: 'api section 9, R06',
    text: 'The state of a connection lasts from call to call and belongs to one client.',
  },
  'connection:state:modern-request-by-request': {
    ...MODERN,
    source: 'S-VER-09, CN-01',
    text: 'In the modern era nothing lasts from one request to the next.',
  },
  'connection:defer:last-come-first': {
    source: 'api section 9',
    text: 'Cleanups run when the connection ends, in reverse order.',
  },
  'connection:defer:failure-contained': {
    source: 'pitfall 85',
    text: 'A cleanup that fails costs only itself.',
  },
  'connection:defer:failure-reported': {
    source: 'pitfall 85',
    text: 'A cleanup that fails is reported to the author of the server.',
  },
  'connection:close:server-side-ends-too': {
    source: 'pitfall 86, CL-23',
    text: "When a client in this process closes, the server's side ends in good order and its lifespan with it.",
  },
} as const satisfies RequirementTable

const CALLBACKS = {
  'callback:question:checked-before-it-arrives': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-10',
    text: 'A question that its revision does not allow is refused with -32602 and reaches no callback.',
  },
  'callback:answer:checked-before-it-leaves': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-11, I6',
    text: 'An answer of the wrong form becomes a constant error for the server and a fault here, without its content.',
  },
  'callback:error:mcp-error-is-the-answer': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-11',
    text: 'A callback refuses with an error of its choice.',
  },
  'callback:error:others-stay-here': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'F070, F071, CS-11',
    text: 'Whatever else a callback throws stays here as a fault; the server reads a constant error.',
  },
  'callback:error:local-errors-stay-here': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'api section 11',
    text: 'A time-out of this side is not passed off as the answer to a question.',
  },
  'fault:F093:undeclared-never-reaches-user-code': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'F093, CS-09',
    text: 'A question that was not declared is answered -32601 and reaches no code of the application.',
  },
  'callback:question:unknown-method': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-10, F055, R46',
    text: 'A method that clients do not have is answered -32601, whatever its name (R46).',
  },
  'callback:question:refused-in-the-modern-era': {
    ...MODERN,
    ...SCRIPTED,
    source: 'B-RPC, B-TR-03, client/sampling',
    text: 'A modern server that sends requests is reported and not answered; no callback hears of it.',
  },
  'callback:question:any-usable-id': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'F046, R41',
    text: 'A question is answered under its very id, zero and the empty string included (R41).',
  },
  'isolation:R57:question-id-in-flight': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'R57, F044',
    text: 'A second question with an id in flight is refused and does not take the answer of the first.',
  },
  'callback:question:any-order': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-12',
    text: 'Questions are answered when their callbacks are done, not in the order in which they came.',
  },
  'callback:question:may-call-the-server': {
    source: 'CS-12',
    text: 'A callback may call the server while that waits for it.',
  },
  'callback:question:endless-one-blocks-nobody': {
    source: 'CS-12, I7',
    text: 'A callback that never returns holds up its own call and no other.',
  },
  'callback:context:what-it-knows': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'CS-21',
    text: 'A callback knows its session, the id and the `_meta` of the question, and has a signal.',
  },
  'callback:cancel:by-the-server': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'pitfall 16, pitfall 24, CS-13',
    text: 'A cancelled question gets no answer although its callback returns, and the cancellation is not shown as a message.',
  },
  'callback:cancel:of-something-else': {
    ...LEGACY,
    ...SCRIPTED,
    source: 'F078, C-CAN-05, pitfall 25',
    text: 'A cancellation that names no question in flight changes nothing, calls of ours least of all.',
  },
  'callback:close:signals-abort': {
    source: 'CS-02, F084',
    text: 'Closing the client aborts the callbacks that are at work and ends the calls they worked for.',
  },
  'fault:F086:listener-fails': {
    source: 'F086, CS-13',
    text: 'A listener that throws or rejects is reported; other listeners and messages are not affected.',
  },
  'fault:F086:listener-never-ends': {
    source: 'F086',
    text: 'A listener that never ends holds up neither messages nor answers.',
  },
  'callback:elicitation:plain-data': {
    since: '2025-06-18',
    source: 'CS-22',
    text: 'A callback that changes its params does not disturb the call.',
  },
} as const satisfies RequirementTable

const EXTENSIONS = {
  'extension:claim:finished-by-its-owner': {
    ...MODERN,
    source: 'CL-31, CE-04',
    text: 'A result that an extension claims is finished by it, so that the caller gets an ordinary one.',
  },
  'extension:claim:after-questions': {
    ...MODERN,
    source: 'CL-31, C-MRTR-10',
    text: 'A claimed result may come after questions.',
  },
  'extension:claim:ordinary-results-pass': {
    ...MODERN,
    source: 'CE-05',
    text: "Ordinary results are none of an extension's business.",
  },
  'extension:claim:session-hands-it-out': {
    ...MODERN,
    source: 'CE-07',
    text: 'A session gives a claimed result to who allows that, and otherwise throws an error that carries it.',
  },
  'extension:claim:nobody-claims-it': {
    ...MODERN,
    source: 'CE-05, B-EXT-05',
    text: 'A type of result that nobody claims is an invalid result.',
  },
  'extension:claim:wrong-form': {
    ...MODERN,
    source: 'CE-04, B-EXT-05',
    text: 'A claimed result that does not have its form is invalid and is not finished.',
  },
  'extension:claim:owner-fails': {
    ...MODERN,
    source: 'CL-31',
    text: 'What the owner of a claim throws reaches the caller.',
  },
  'extension:claim:output-schema-still-holds': {
    ...MODERN,
    source: 'CL-31',
    text: 'A finished result is held against the output schema of its tool.',
  },
  'extension:claim:tools-only': { ...MODERN, source: 'CE-04', text: 'Only results of tools can be claimed.' },
  'extension:claim:server-must-name-its-types': {
    ...MODERN,
    source: 'B-EXT-03',
    text: 'A server whose handler answers with a type that it did not name has failed.',
  },
  'extension:declared:together-with-its-claims': {
    source: 'pitfall 59, CE-05, CE-06',
    text: 'An extension with claims is declared exactly where they hold; one without, everywhere.',
  },
  'extension:declared:none-by-default': { source: 'B-EXT-03', text: 'No extension is declared unless it was given.' },
  'extension:declared:server-falls-back': {
    source: 'B-EXT-02, B-EXT-06',
    text: 'A server can tell who has an extension and do without it for the others.',
  },
  'extension:binding:one-at-a-time-in-order': {
    source: 'CE-08',
    text: 'Notifications of a vendor are handled one at a time, in order.',
  },
  'extension:binding:slow-handler-drops-the-oldest': {
    source: 'CE-08, pitfall 12',
    text: 'Where too many wait for a handler, the oldest are dropped and reported, and nobody waits.',
  },
  'extension:binding:unsuitable-params-dropped': {
    source: 'CE-08, B-EXT-05',
    text: 'Params that a binding cannot take are reported and dropped.',
  },
  'extension:binding:failing-handler-contained': {
    source: 'CE-08',
    text: 'A handler that fails is reported and gets the next notification all the same.',
  },
  'extension:binding:not-for-the-specification': {
    source: 'CE-08',
    text: 'A notification of the specification cannot be taken away by a binding.',
  },
  'extension:binding:unbound-goes-nowhere': {
    source: 'CS-13',
    text: 'A notification of a vendor that nobody bound is dropped without a word.',
  },
  'extension:conflict:found-at-construction': {
    source: 'B-EXT-01, CE-02, CE-04, CE-09',
    text: 'Extensions that cannot work, alone or beside each other, are refused when the client is made, naming them.',
  },
  'extension:vendor:request': {
    source: 'CE-10',
    text: 'A method of a vendor goes both ways as it is, with only the stamps of its era.',
  },
  'extension:vendor:unknown': {
    source: 'CE-10, F055, R46',
    text: 'A method that nobody has is answered -32601, whatever its name (R46).',
  },
  'extension:vendor:name-param': {
    source: 'CE-10',
    text: 'A name that a method promises to carry must be there before anything is sent.',
  },
  'extension:vendor:notification': {
    source: 'CE-10',
    text: 'A notification of a vendor reaches its handler on the server.',
  },
} as const satisfies RequirementTable

const GROUPS = {
  'group:join:all-pages-of-all-servers': {
    source: 'SG-01, SG-07, api section 5',
    text: 'A group has the tools, resources and prompts of all its servers, from all pages, in either era.',
  },
  'group:call:to-whom-it-belongs': {
    source: 'SG-01, api section 5',
    text: 'A call goes to the server that has the tool, the prompt or the resource.',
  },
  'group:call:unknown-name': {
    source: 'api section 5, R46',
    text: 'A name that no server has is refused here, whatever it is (R46).',
  },
  'group:names:given-by-the-group': {
    source: 'SG-03',
    text: 'A group may give components names of its own; the server keeps hearing its own.',
  },
  'group:names:prototype-names': {
    source: 'R46',
    text: 'Components named like members of every object (R46) are components like any other.',
  },
  'group:join:taken-name-changes-nothing': {
    source: 'SG-04',
    text: 'A server whose names are taken is refused as a whole, and its connection is closed again.',
  },
  'group:join:all-or-nothing': {
    source: 'SG-04',
    text: 'One taken name in any list keeps all of a server out.',
  },
  'group:join:failed-connection-changes-nothing': {
    source: 'SG-04',
    text: 'A server that cannot be connected leaves the group as it was.',
  },
  'group:join:server-that-cannot-list': {
    source: 'SG-07, I7',
    text: 'A list that cannot be read is reported; the other lists and servers are there.',
  },
  'group:join:only-what-is-offered': {
    source: 'SG-07',
    text: 'A server is not asked for what it does not offer.',
  },
  'group:refresh:follows-list-changes': {
    source: 'api section 5',
    text: 'A change that a server announces is followed, for that server and that list.',
  },
  'fault:F102:list-changed-storm': {
    source: 'F102',
    text: 'However many changes are announced, one refresh is in flight and one waits.',
  },
  'group:refresh:taken-name-keeps-its-owner': {
    source: 'api section 5',
    text: 'A name that collides after a change keeps its old owner, and that is reported.',
  },
  'group:refresh:by-hand': { source: 'api section 5', text: 'The lists of a server can be read anew at any time.' },
  'group:session:is-only-borrowed': {
    source: 'SG-05',
    text: 'A session that was made elsewhere is used once and never closed by the group.',
  },
  'group:session:must-be-negotiated': {
    source: 'SG-05',
    text: 'A session that has agreed on nothing is refused.',
  },
  'group:leave:takes-all-along': {
    source: 'SG-06',
    text: 'A server that leaves takes its components along and is closed; its names are free again.',
  },
  'group:fault:one-server-dies': {
    source: 'I7, SG-07',
    text: 'A connection that dies fails the calls to its server and no others.',
  },
  'group:call:questions-are-answered': {
    ...MODERN,
    source: 'SG-08, api section 5',
    text: 'Calls through a group are driven through their questions.',
  },
  'group:close:ends-what-it-opened': {
    source: 'SG-09',
    text: 'A group that is closed, any number of times, closes what it opened and takes nobody in.',
  },
  'group:eras:side-by-side': {
    ...LEGACY,
    source: 'SG-08, api section 5',
    text: 'Servers of both eras are in one group.',
  },
} as const satisfies RequirementTable

const BYSTANDERS = {
  'isolation:R06:answers': {
    source: 'R06, I7, R45',
    text: "Two clients with the same ids, interleaved, never see a byte of each other's answers (R06).",
  },
  'isolation:R06:progress': {
    source: 'R06',
    text: 'Progress under the same token reaches the client it belongs to (R06).',
  },
  'isolation:R06:log-messages': { source: 'R06', text: 'Log messages reach the client they belong to (R06).' },
  'isolation:R06:log-level': {
    ...LEGACY,
    source: 'R06',
    text: "The level that one client sets is not another's (R06).",
  },
  'isolation:R06:questions': {
    source: 'R06',
    text: 'Questions reach the client whose call asks, and its answers that call (R06).',
  },
  'isolation:R06:context': {
    source: 'R06',
    text: 'Name and capabilities of one client are never seen while serving another (R06).',
  },
  'isolation:R06:subscriptions': {
    ...MODERN,
    source: 'R06',
    text: 'Each client hears of what it watches itself (R06).',
  },
  'isolation:I7:cancel-reaches-its-own': {
    source: 'I7, F078',
    text: "Cancelling a call leaves another client's call of the same id alone.",
  },
  'isolation:I7:one-closes': { source: 'I7, F084', text: 'A client that closes takes nobody along.' },
  'isolation:I7:one-misbehaves': {
    ...SCRIPTED,
    source: 'I7',
    text: 'A client that sends garbage, false answers and cancellations disturbs nobody else.',
  },
  'isolation:R57:call-id-in-flight': {
    ...SCRIPTED,
    source: 'R57, F044',
    text: 'A second call with an id in flight is refused and does not take the answer of the first (R57).',
  },
} as const satisfies RequirementTable

const FAULTS = {
  'fault:F084:client-closes-while-handlers-run': {
    source: 'F084, pitfall 86',
    text: 'Handlers of a client that closes are told by their signal, and what they return is discarded.',
  },
  'fault:F084:server-vanishes-between-rounds': {
    ...MODERN,
    ...SCRIPTED,
    source: 'F084, I2, pitfall 26',
    text: 'A call that waits for a callback ends with the connection, and so does the callback.',
  },
  'fault:F085:notification-flood': {
    ...SCRIPTED,
    source: 'F085',
    text: 'More notifications than anyone can take are dropped and reported, and answers still get through.',
  },
  'fault:F088:closing-and-connecting-from-a-callback': {
    source: 'F088',
    text: 'A client can be closed and another opened from within what follows a call.',
  },
  'fault:F088:many-reconnects': {
    source: 'F088',
    text: 'One server takes any number of clients one after the other.',
  },
  'fault:F092:before-open-and-after-close': {
    source: 'F092, CL-02',
    text: 'A client that is not open says so; a session that is over fails calls and drops notifications.',
  },
  'fault:F096:one-signal-for-many-calls': {
    source: 'F096',
    text: 'One signal can serve any number of calls, with questions or without, and nothing is left on it.',
  },
  'fault:F097:blocked-loop': {
    source: 'F097',
    text: 'An answer that was there when a blocked loop woke up counts, although the time for it had passed.',
  },
  'regression:R50:tool-runs-once': {
    source: 'R50, I8',
    text: 'A tool call that fails, times out or loses its connection is never sent again (R50).',
  },
  'regression:R50:one-repeat-after-header-mismatch': {
    ...MODERN,
    source: 'R50, I8',
    text: 'A refusal that comes before execution is repeated at most once (R50).',
  },
  'hostile:message:garbage': {
    ...SCRIPTED,
    source: 'F050, I1',
    text: 'What is no message is reported and does not end the connection.',
  },
  'hostile:channel:wedged': {
    ...SCRIPTED,
    source: 'pitfall 20, I2',
    text: 'A channel that takes nothing any more can still be given up and closed.',
  },
  'listen:event:survives-a-failed-eviction': {
    ...MODERN,
    source: 'pitfall 27, CU-11',
    text: 'An event waits for what must come before it, and neither a failure there nor a second reader loses it.',
  },
  'hostile:transport:aborted-while-opening': {
    ...SCRIPTED,
    source: 'pitfall 26, CL-17',
    text: 'A client that is closed while it opens rejects, and what opens late is closed again.',
  },
} as const satisfies RequirementTable

const RESOLVING = {
  'resolve:mcpserver:answers-only-when-asked': {
    source: 'pitfall 68',
    text: 'A recorded answer is used only where the handler asks again, so that forged state cannot put in a value.',
    eras: ['modern'],
  },
  'resolve:mcpserver:pinned-to-the-question': {
    source: 'pitfall 69',
    text: 'An answer belongs to the question as it was worded; another wording never gets it.',
    eras: ['modern'],
  },
  'resolve:mcpserver:stable-keys': {
    source: 'pitfall 70',
    text: 'The keys of questions are the same in every process that serves the call.',
    eras: ['modern'],
  },
  'resolve:mcpserver:straight-line-code': {
    source: 'api section 7, S-MRTR-01',
    text: 'A handler that awaits an answer is the same code in both eras.',
    since: '2025-06-18',
  },
  'resolve:mcpserver:steps-run-once': {
    source: 'api section 7, S-MRTR-10',
    text: 'A step with side effects runs once across the rounds of a call.',
    since: '2025-06-18',
  },
  'state:mcpserver:sealed-by-default': {
    source: 'RS-02, RS-08, S-MRTR-08',
    text: 'An `MCPServer` seals its states without being told to.',
    eras: ['modern'],
  },
} as const satisfies RequirementTable

const LATER = {
  'fault:F105:tasks': {
    source: 'F105, R16',
    text: 'Tasks of strangers do not exist, reading twice is harmless, and polling has a floor.',
    waitsFor: 'tasks',
  },
  'stdio:close:drains-while-waiting': {
    source: 'pitfall 78, F021',
    text: 'The output of a child is read on while it is shut down.',
    transports: ['stdio'],
  },
  'stdio:close:subscriptions-end-with-the-input': {
    source: 'S-STDIO-04, F032',
    text: 'A subscription does not keep a server whose input has ended: it is ended in good order, like one of a server that closes.',
    transports: ['stdio'],
    ...MODERN,
  },
  'stdio:close:return-code-decides': {
    source: 'pitfall 79',
    text: 'A child is dead when it has a return code, not when its pipe ends.',
    transports: ['stdio'],
  },
  'stdio:close:whole-group': {
    source: 'pitfall 80',
    text: 'Signals go to the whole group of a child, by the id of its leader.',
    transports: ['stdio'],
  },
  'stdio:close:ladder-survives-cancellation': {
    source: 'pitfall 81',
    text: 'Giving up a client still runs every step of shutting its child down, in bounded time.',
    transports: ['stdio'],
  },
  'calls:crowd:waits-by-weight': {
    source: 'api.md 13, limits on stdio',
    text: 'Ten thousand calls at once are all answered in process and over stdio: what does not run yet waits.',
    transports: ['direct', 'memory', 'stdio'],
    since: '2025-11-25',
  },
  'calls:crowd:cancellation-is-heard': {
    source: 'api.md 13, limits on stdio',
    text: 'Under more hanging calls than can run, each cancellation reaches its handler and the next call is answered.',
    transports: ['direct', 'memory', 'stdio'],
    since: '2025-11-25',
  },
  'calls:limits:long-argument': {
    source: 'api.md 13, limits on stdio',
    text: 'An argument that is longer than the server takes is refused at once with the limit; the next one is not even sent.',
    transports: ['stdio', 'http', 'fetch', 'sse'],
  },
  'stdio:limits:long-argument-in-a-process': {
    source: 'api.md 13, limits on stdio',
    text: 'A real server process answers arguments of any length that are too long, and goes on.',
    transports: ['stdio'],
    since: '2025-11-25',
  },
  'stdio:write:failure-closes-the-read-side': {
    source: 'pitfall 82',
    text: 'A child that no longer reads ends the connection instead of hanging the caller.',
    transports: ['stdio'],
  },
  'stdio:server:prints-stay-out': {
    source: 'pitfall 83, F036, R40',
    text: 'Nothing that user code prints reaches the protocol stream.',
    transports: ['stdio'],
  },
  'stdio:server:closing-order': {
    source: 'pitfall 84',
    text: 'At the end of input waiters fail, handlers are told and may write their last errors, and only then output is closed.',
    transports: ['stdio'],
  },
  'http:session:checked-before-registered': {
    source: 'pitfall 87, R21',
    text: 'A request that is refused leaves no session behind.',
    eras: ['legacy'],
    transports: ['fetch'],
  },
  'http:session:bound-to-its-credential': {
    source: 'pitfall 88, R15',
    text: "Another's session is answered exactly as an unknown one.",
    eras: ['legacy'],
    transports: ['fetch'],
  },
  'http:host:allow-list': {
    source: 'pitfall 89, R01',
    text: 'The Host header is held against the allow-list, whatever address is bound.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'http:host:lifespan-starts': {
    source: 'pitfall 90',
    text: "A handler within another application starts and stops the server's lifespan by itself.",
    transports: ['fetch'],
  },
  'http:sse:keep-alive-from-the-start': {
    source: 'pitfall 91',
    text: "A silent handler's stream is kept alive from its beginning.",
    transports: ['fetch'],
  },
  'auth:lock:only-around-tokens': {
    source: 'pitfall 92, R55',
    text: 'Only getting a token is serialised, and a stale refusal is repeated with the token that another request just got.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'auth:tokens:persisted-with-expiry': {
    source: 'pitfall 93',
    text: 'Absolute expiry and issuer are kept, and refreshing comes before asking the user.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'auth:issuer:compared-as-text': {
    source: 'pitfall 94, C-AUTH-17',
    text: 'Issuers are compared as the texts they are.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'auth:issuer:stamped-when-true': {
    source: 'pitfall 95, R10, C-REG-08',
    text: 'Credentials name an issuer only if they were registered with it.',
    eras: ['modern'],
    transports: ['fetch'],
  },
  'auth:scopes:step-up-unites': {
    source: 'pitfall 96',
    text: 'A step-up asks for what is needed together with what was granted.',
    eras: ['modern'],
    transports: ['fetch'],
  },
} as const satisfies RequirementTable

export const INTERACTION = {
  ...ROUNDS,
  ...STATE,
  ...FORMS,
  ...URLS,
  ...MODELS,
  ...FOLDERS,
  ...SESSIONS,
  ...CALLBACKS,
  ...EXTENSIONS,
  ...GROUPS,
  ...BYSTANDERS,
  ...FAULTS,
  ...RESOLVING,
  ...LATER,
} as const satisfies RequirementTable
