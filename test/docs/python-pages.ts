// Reads the public names out of pages that document the Python SDK, so that the list of them need not be trusted.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Words of Python, of its libraries and of its typing, type variables among them: nothing of the SDK's own. */
const PYTHON = new Set(
  `Any AnyUrl AssertionError AsyncExitStack AsyncFile AsyncGenerator BaseException BaseModel Callable Context Exception
  Field Generic KeyError Literal Mapping MemoryObjectReceiveStream MethodT NotImplementedError None NotificationParamsT
  OSError Path Protocol ReceiveNotificationT ReceiveRequestT ReceiveResultT ResultT RuntimeError Self SendNotificationT
  SendRequestT SendResultT Sequence TextIO TracebackType True False TypeAdapter TypeAlias ValidationError ValueError
  KW_ONLY`.split(/\s+/),
)

/** Methods with underscores that are part of the interface: a context manager is entered and left by them. */
const CONTEXT_MANAGER = new Set(['__enter__', '__exit__', '__aenter__', '__aexit__'])

interface Signature {
  readonly name: string
  readonly isMethod: boolean
  /** Without `self`; the star stands among them. */
  readonly parameters: readonly string[]
  readonly text: string
}

/**
 * The names of all pages in a folder: `Class`, `Class.member`, `Class(parameter)` of a constructor, `function`, and
 * `Class.method(parameter)` for a parameter that may be left out or has to be named.
 */
export function readNames(folder: string): Set<string> {
  const names = new Set<string>()
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.txt'))) {
    collect(withoutLineNumbers(readFileSync(join(folder, file), 'utf8')), names)
  }
  return names
}

/** One of the pages numbers the lines of its source code. */
function withoutLineNumbers(page: string): string {
  return page.replace(/^\d+(?=class | )/gm, '')
}

function collect(page: string, names: Set<string>): void {
  collectDefinitions(withoutDocstrings(page).split('\n'), names)
  // Types, constants and errors that the pages use without defining them.
  for (const [, type] of page.matchAll(/\btypes\.([A-Z]\w*)/g)) addWords(type as string, names)
  for (const [constant] of page.matchAll(/(?<![\w.-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)) addWords(constant, names)
  for (const [, word] of page.matchAll(/(?:\braise |`)([A-Z]\w*)(?=[`.(])/g)) addWords(word as string, names)
  for (const [, alias] of page.matchAll(/^([A-Z]\w*) module-attribute$/gm)) names.add(alias as string)
}

function collectDefinitions(lines: readonly string[], names: Set<string>): void {
  let currentClass = ''
  for (const [index, line] of lines.entries()) {
    const [, className] = /^class ([A-Z]\w*)/.exec(line) ?? []
    const [, field, type] = /^ {4}([a-z]\w*): (.+)$/.exec(line) ?? []
    if (className !== undefined) {
      currentClass = className
      addWords(line, names)
    } else if (/^\s*(?:async )?def /.test(line)) {
      addFunction(readSignature(lines, index), currentClass, lines[index - 1], names)
    } else if (field !== undefined && isInClass(lines, index)) {
      names.add(`${currentClass}.${field}`)
      addWords(type as string, names)
    }
  }
}

function withoutDocstrings(page: string): string {
  return page.replace(/"""[\s\S]*?"""/g, (docstring) => docstring.replace(/[^\n]/g, ''))
}

/** Whether the line is directly in the body of a class: what is less indented above it opens one. */
function isInClass(lines: readonly string[], index: number): boolean {
  for (let above = index - 1; above >= 0; above -= 1) {
    const line = lines[above] as string
    if (/^\S/.test(line)) return /^(class |\):)/.test(line)
  }
  return false
}

function readSignature(lines: readonly string[], start: number): Signature {
  let text = ''
  for (let index = start; index < lines.length; index += 1) {
    text += `${lines[index]?.replace(/#.*$/, '').trim()} `
    if (/:( \.\.\.)? $/.test(text) && isBalanced(text)) break
  }
  const [, name = '', inside = ''] = /def (\w+)\((.*)\)[^)]*$/.exec(text) ?? []
  const [first = '', ...others] = splitParameters(inside)
  const isMethod = first === 'self' || first === 'cls'
  return { name, isMethod, parameters: isMethod || first === '' ? others : [first, ...others], text }
}

function isBalanced(text: string): boolean {
  return (text.match(/[([]/g) ?? []).length === (text.match(/[)\]]/g) ?? []).length
}

function splitParameters(inside: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of inside) {
    if ('[('.includes(character)) depth += 1
    if ('])'.includes(character)) depth -= 1
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(parts.pop() + character)
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function addFunction(signature: Signature, currentClass: string, above: string | undefined, names: Set<string>): void {
  const { name, isMethod, parameters, text } = signature
  // A function without `self` is an example or a helper, unless it is shown as the source of an entry.
  if (!isMethod && !/^(Source code in|@asynccontextmanager)/.test(above ?? '')) return
  const isConstructor = name === '__init__'
  if (name.startsWith('_') && !isConstructor && !CONTEXT_MANAGER.has(name)) return
  const path = isMethod ? `${currentClass}.${name}` : name
  if (!isConstructor) names.add(path)
  if (CONTEXT_MANAGER.has(name)) return
  addWords(text, names)
  for (const [place, parameter] of parameters.entries()) {
    const word = /^\w+/.exec(parameter)?.[0]
    if (word === undefined) continue
    if (isConstructor) names.add(`${currentClass}(${word})`)
    else if (parameter.includes('=') || parameters.slice(0, place).includes('*')) names.add(`${path}(${word})`)
  }
}

/** Every capitalised word of an annotation that is not Python's own. */
function addWords(text: string, names: Set<string>): void {
  for (const [word] of text.replace(/"[^"]*"/g, '').matchAll(/(?<!\w)[A-Z]\w*/g)) if (!PYTHON.has(word)) names.add(word)
}
