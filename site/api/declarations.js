// One exported name as Markdown: its declaration without comments, its hover text, and a table of its members.
import ts from 'typescript'

const MAX_WIDTH = 80
const printer = ts.createPrinter({ removeComments: true })

/** The hover text of a symbol, in Markdown, with its examples apart. */
export function describeText(checker, symbol) {
  const tags = symbol.getJsDocTags(checker)
  const textOf = (tag) => ts.displayPartsToString(tag.text).trim()
  const deprecated = tags.find(({ name }) => name === 'deprecated')
  const summary = plain(ts.displayPartsToString(symbol.getDocumentationComment(checker)))
  return {
    summary: deprecated === undefined ? summary : `**Deprecated.** ${plain(textOf(deprecated))} ${summary}`.trim(),
    examples: tags.filter(({ name }) => name === 'example').map((tag) => fenced(textOf(tag))),
  }
}

/** `{@link Name}` as code. */
const plain = (text) => text.replaceAll(/\{@link\s+([^}\s|]+)[^}]*\}/g, '`$1`').trim()

const fenced = (text) => (text.includes('```') ? text : `\`\`\`ts\n${text}\n\`\`\``)

/** Declarations without comments and without what users cannot reach. Members of classes and interfaces are in a table. */
export function showDeclaration(symbol) {
  const lines = (symbol.declarations ?? []).flatMap((declaration) => {
    if (ts.isClassDeclaration(declaration)) return [headOf(declaration, 'class')]
    if (ts.isInterfaceDeclaration(declaration)) return [headOf(declaration, 'interface')]
    const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
    return [printed(statement)]
  })
  return [...new Set(lines)].map(wrap).join('\n')
}

const printed = (node) =>
  printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replaceAll('    ', '  ')
    .replace(/;$/, '')

function headOf(declaration, keyword) {
  const parameters = declaration.typeParameters?.map(printed).join(', ')
  const clauses = declaration.heritageClauses?.map(printed).join(' ')
  return `${keyword} ${declaration.name?.text ?? ''}${parameters === undefined ? '' : `<${parameters}>`}${clauses === undefined ? '' : ` ${clauses}`}`
}

/** A long signature with a line per parameter, and a long union with a line per member. */
export function wrap(text) {
  return text
    .split('\n')
    .flatMap((line) => (line.length <= MAX_WIDTH ? [line] : wrapLine(line)))
    .join('\n')
}

function wrapLine(line) {
  const indent = /^ */.exec(line)[0]
  const open = outerParenthesis(line)
  if (open !== undefined) {
    const { start, end } = open
    const parts = splitAt(line.slice(start + 1, end), ',')
    if (parts.length > 0 && parts[0] !== '') {
      const inner = parts.map((part) => `${indent}  ${part},`)
      return [line.slice(0, start + 1), ...inner, `${indent}${line.slice(end)}`]
    }
  }
  const at = line.indexOf(' = ')
  const variants = at === -1 ? [] : splitAt(line.slice(at + 3), '|')
  if (variants.length > 1) return [line.slice(0, at + 2), ...variants.map((variant) => `${indent}  | ${variant}`)]
  return [line]
}

/** The parentheses of the parameters: the first ones outside of angle brackets and braces. */
function outerParenthesis(line) {
  let depth = 0
  for (let index = 0; index < line.length; index++) {
    const char = line[index]
    if (char === '=' && line[index + 1] !== '>' && depth === 0 && /^type /.test(line.trim())) return undefined
    if (char === '<' || char === '{' || char === '[') depth++
    else if ((char === '>' && line[index - 1] !== '=') || char === '}' || char === ']') depth--
    else if (char === '(' && depth === 0) {
      const end = closing(line, index)
      return end === undefined ? undefined : { start: index, end }
    }
  }
  return undefined
}

function closing(line, start) {
  let depth = 0
  for (let index = start; index < line.length; index++) {
    if (line[index] === '(') depth++
    else if (line[index] === ')' && --depth === 0) return index
  }
  return undefined
}

/** Parts between separators that are in no brackets. */
function splitAt(text, separator) {
  const parts = []
  let depth = 0
  let start = 0
  for (let index = 0; index < text.length; index++) {
    const char = text[index]
    if ('(<{['.includes(char)) depth++
    else if (')}]'.includes(char) || (char === '>' && text[index - 1] !== '=')) depth--
    else if (char === separator && depth === 0) {
      parts.push(text.slice(start, index).trim())
      start = index + 1
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== '')
}

/** Public members with their types and hover texts, or nothing where there are none. */
export function describeMembers(checker, symbol) {
  const rows = new Map()
  for (const member of membersOf(checker, symbol)) {
    if (!isPublic(member)) continue
    const signature = printed(member)
      .replaceAll(/\s+/g, ' ')
      .replace(/^readonly /, '')
    const own = member.name === undefined ? undefined : checker.getSymbolAtLocation(member.name)
    // Overloads are one row.
    const row = rows.get(own ?? member) ?? {
      signatures: [],
      text: own === undefined ? '' : describeText(checker, own).summary,
    }
    row.signatures.push(signature)
    rows.set(own ?? member, row)
  }
  if (rows.size === 0) return undefined
  const lines = [...rows.values()].map(
    ({ signatures, text }) => `| ${signatures.map((signature) => cell(code(signature))).join(' ')} | ${cell(text)} |`,
  )
  return ['| Member | Description |', '| --- | --- |', ...lines].join('\n')
}

/** Of a class its own members; of an interface also what it takes over from others of the package. */
function membersOf(checker, symbol) {
  const declarations = symbol.declarations ?? []
  const classes = declarations.filter((declaration) => ts.isClassDeclaration(declaration))
  if (classes.length > 0) return classes.flatMap(({ members }) => members)
  if (!declarations.some((declaration) => ts.isInterfaceDeclaration(declaration))) return []
  const signatures = declarations.flatMap(({ members }) => members ?? []).filter(({ name }) => name === undefined)
  const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties()
  return [...signatures, ...properties.flatMap((property) => property.declarations ?? []).filter(isOurs)]
}

/** Not of the language and not of other packages. */
const isOurs = (declaration) => !/\/node_modules\//.test(declaration.getSourceFile().fileName)

function isPublic(member) {
  const modifiers = ts.getCombinedModifierFlags(member)
  if (modifiers & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false
  if (member.name !== undefined && ts.isPrivateIdentifier(member.name)) return false
  const name = member.name?.getText() ?? ''
  return !name.startsWith("'~") && name !== '#private' && !/^\[\w+\]$/.test(name)
}

const code = (text) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n+\s*(?=[-*] )/g, ' ')
    .replaceAll(/\s*\n\s*/g, ' ')
