// Answers elicitation requests of a server with what the user types: field by field, or with consent to open a URL.
import { domainToUnicode } from 'node:url'
import type { ClientOptions } from 'mcpwire'
import { openBrowser } from 'mcpwire/node'
import { compileSchema } from 'mcpwire/schema'
import type {
  ElicitContent,
  ElicitRequestedSchema,
  ElicitRequestParams,
  ElicitResult,
  PrimitiveSchemaDefinition,
} from 'mcpwire/types'
import type { Output } from './output.ts'
import type { Conversation, Prompter } from './prompter.ts'
import { quote, showLine } from './terminal-text.ts'

type OnElicitation = NonNullable<ClientOptions['onElicitation']>

/** `serverName` is printed with each request, so that the user knows who asks. */
export function answerQuestions(prompter: Prompter, output: Output, serverName: () => string): OnElicitation {
  let last: Promise<unknown> = Promise.resolve()
  return (params, { signal }) => {
    // A server may send several requests at once; the user answers one at a time.
    const answer = last.then(() => answerOne(params, () => prompter(signal), output, serverName()))
    last = answer.catch(() => {})
    return answer
  }
}

async function answerOne(
  params: ElicitRequestParams,
  begin: () => Conversation,
  output: Output,
  serverName: string,
): Promise<ElicitResult> {
  output.note(`${showLine(serverName)} asks:`)
  output.note(quote(params.message))
  const problem = params.mode === 'url' ? problemOfUrl(params.url) : undefined
  const form = params.mode === 'url' ? [] : readForm(params.requestedSchema)
  if (problem !== undefined || !Array.isArray(form)) {
    output.note(`Declined: ${showLine(problem ?? String(form))}`)
    return { action: 'decline' }
  }
  const conversation = begin()
  try {
    return params.mode === 'url'
      ? await visit(params.url, conversation, output)
      : await fillIn(form, conversation, output)
  } finally {
    conversation.close()
  }
}

function problemOfUrl(url: string): string | undefined {
  return /^https?:\/\//i.test(url) && URL.canParse(url) ? undefined : `${url} is not the URL of a web page.`
}

/** The site by its name, apart from everything in the URL that can look like one. */
function describeUrl({ host, hostname, href, username, password }: URL): string[] {
  const readable = domainToUnicode(hostname)
  return [
    `The server asks you to open a page of ${showLine(host)}:`,
    `  ${showLine(href)}`,
    ...(username === '' && password === '' ? [] : [`The text before the @ is not part of the site's name.`]),
    ...(readable === hostname || readable === '' ? [] : [`With all its letters, the name is ${showLine(readable)}.`]),
  ]
}

async function visit(url: string, conversation: Conversation, output: Output): Promise<ElicitResult> {
  for (const line of describeUrl(new URL(url))) output.note(line)
  const consent = await confirm('Open this page in the browser? (y/n)', conversation)
  if (consent !== 'accept') return { action: consent }
  if (!(await openBrowser(url))) output.note('No browser could be started. Open the URL yourself.')
  return { action: 'accept' }
}

async function fillIn(form: readonly FormField[], conversation: Conversation, output: Output): Promise<ElicitResult> {
  const consent = await confirm(invitationOf(form.length), conversation)
  if (consent !== 'accept') return { action: consent }
  const content: [string, ElicitContent[string]][] = []
  for (const field of form) {
    for (;;) {
      const typed = await conversation.ask(`  ${field.label}: `)
      if (typed === undefined) return { action: 'cancel' }
      const { value, problem } = field.read(typed)
      if (problem === undefined) {
        if (value !== undefined) content.push([field.name, value])
        break
      }
      output.note(`  ${showLine(problem)}`)
    }
  }
  return { action: 'accept', content: Object.fromEntries(content) }
}

function invitationOf(fields: number): string {
  const what = fields === 0 ? 'Agree?' : fields === 1 ? 'Answer this question?' : `Answer these ${fields} questions?`
  return `${what} (y, or n to decline)`
}

/** Enter alone is no consent: it may have been pressed before the question was printed. */
async function confirm(question: string, conversation: Conversation): Promise<'accept' | 'decline' | 'cancel'> {
  for (;;) {
    const typed = await conversation.ask(`${question} `)
    if (typed === undefined) return 'cancel'
    if (/^(?:y|yes)$/i.test(typed.trim())) return 'accept'
    if (/^(?:n|no)$/i.test(typed.trim())) return 'decline'
  }
}

/** A field that is ready to be asked for. */
export interface FormField {
  readonly name: string
  /** `Size, how large it is (S, M, L) [M]`. */
  readonly label: string
  /** Nothing typed leaves the field out: the client fills in its default. */
  read(typed: string): { value?: ElicitContent[string]; problem?: string }
}

interface Choice {
  value: string
  title: string
}

/** The fields in their order, or why they cannot be asked for. */
export function readForm({ properties, required = [] }: ElicitRequestedSchema): FormField[] | string {
  const needed = new Set(required)
  const fields: FormField[] = []
  for (const [name, schema] of Object.entries(properties)) {
    try {
      fields.push(readField(name, schema, needed.has(name)))
    } catch (error) {
      return `The field ${name} has an invalid schema: ${(error as Error).message}`
    }
  }
  return fields
}

function readField(name: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): FormField {
  const validator = compileSchema(schema, { formats: 'assert' })
  const isOptional = !isRequired || schema.default !== undefined
  return {
    name,
    label: labelOf(name, schema, isRequired),
    read: (typed) => {
      const text = typed.trim()
      if (text === '') return isOptional ? {} : { problem: 'This field is required.' }
      const value = toValue(text, schema)
      if (value === undefined) return { problem: `Expected: ${kindOf(schema)}.` }
      const [issue] = validator.validate(value)
      if (issue === undefined) return { value }
      return { problem: formatOf(schema) === undefined ? issue.message : `Expected: ${kindOf(schema)}.` }
    },
  }
}

function labelOf(name: string, schema: PrimitiveSchemaDefinition, isRequired: boolean): string {
  const label = [schema.title ?? name, schema.description].filter((text) => text !== undefined).join(', ')
  const preset = schema.default === undefined ? '' : ` [${String(schema.default)}]`
  const freedom = isRequired || schema.default !== undefined ? '' : ', optional'
  return showLine(`${label} (${kindOf(schema)}${freedom})${preset}`)
}

function toValue(text: string, schema: PrimitiveSchemaDefinition): ElicitContent[string] | undefined {
  const choices = choicesOf(schema)
  switch (schema.type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : undefined
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text)) ? Number(text) : undefined
    case 'array': {
      const picked = text.split(',').map((part) => pick(part.trim(), choices ?? []))
      return picked.every((value) => value !== undefined) ? picked : undefined
    }
    default:
      return choices === undefined ? text : pick(text, choices)
  }
}

/** By its title, as it is shown, or by its value. */
function pick(text: string, choices: readonly Choice[]): string | undefined {
  return choices.find(({ title, value }) => title === text || value === text)?.value
}

function kindOf(schema: PrimitiveSchemaDefinition): string {
  const choices = choicesOf(schema)
    ?.map(({ title }) => title)
    .join(', ')
  if (schema.type === 'array') return `any of ${choices ?? ''}, with commas between`
  if (choices !== undefined) return choices
  if (schema.type === 'boolean') return 'yes or no'
  if (schema.type !== 'string') return numberKind(schema as NumberSchema)
  return formatOf(schema) ?? 'text'
}

const FORMATS: Partial<Record<string, string>> = {
  email: 'an e-mail address',
  uri: 'a URL',
  date: 'a date, such as 2026-01-31',
  'date-time': 'a date and time, such as 2026-01-31T12:00:00Z',
}

/** What a format is called; `undefined` where there is none. */
function formatOf(schema: PrimitiveSchemaDefinition): string | undefined {
  const format = 'format' in schema ? schema.format : undefined
  return format === undefined ? undefined : (FORMATS[format] ?? format)
}

interface NumberSchema {
  type: string
  minimum?: number
  maximum?: number
}

/** Libraries give the bounds of all safe integers, which nobody has to know. */
function numberKind({ type, minimum, maximum }: NumberSchema): string {
  const name = type === 'integer' ? 'whole number' : type
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? undefined : minimum
  const to = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (from !== undefined && to !== undefined) return `${name} from ${from} to ${to}`
  if (from !== undefined) return `${name} from ${from} on`
  return to === undefined ? name : `${name} up to ${to}`
}

function choicesOf(schema: PrimitiveSchemaDefinition): Choice[] | undefined {
  const options = 'items' in schema ? schema.items : schema
  if ('enum' in options) {
    const titles = 'enumNames' in schema ? schema.enumNames : undefined
    return options.enum.map((value, index) => ({ value, title: titles?.[index] ?? value }))
  }
  const titled = 'anyOf' in options ? options.anyOf : 'oneOf' in options ? options.oneOf : undefined
  return titled?.map(({ const: value, title }) => ({ value, title }))
}
