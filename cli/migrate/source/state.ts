// Whether a value can keep something from one call to the next.
import type { BinaryExpression, CallExpression, NewExpression, Node } from 'ts-morph'
import { declarationsOf, resolveFunction, returnsOf } from './names.ts'
import { descendants, is, isFunction, memberValue, unwrap } from './nodes.ts'

/** Classes whose objects nobody changes. */
const FIXED_CLASSES = /^(?:RegExp|URL|Date|Error|Intl\..*|Text(?:En|De)coder)$/
/** Functions whose results have no state. */
const FIXED_CALLS = /^(?:String|Number|Boolean|BigInt|parseInt|parseFloat|require|process\.cwd)$/
/** Packages whose functions return texts, or schemas that don't change. */
const FIXED_MODULES = /^(?:zod|(?:node:)?(?:path|url))(?:\/|$)/
const LITERALS =
  /^(?:String|Numeric|NoSubstitutionTemplate|BigInt)Literal$|^TemplateExpression$|^(?:True|False|Null)Keyword$/

/** Literals of objects and arrays, objects of classes, and what a call returns. In doubt it is state. */
export function isState(value: Node, scope: Node): boolean {
  const inner = unwrap(value)
  const kind = inner.getKindName()
  if (is(inner, 'ObjectLiteralExpression')) return !isConstant(value) && !hasOnlyFunctions(inner)
  if (kind === 'ArrayLiteralExpression') return !isConstant(value)
  if (is(inner, 'NewExpression')) return !FIXED_CLASSES.test(inner.getExpression().getText())
  if (is(inner, 'CallExpression')) return !FIXED_CALLS.test(inner.getExpression().getText()) && !isFixed(inner)
  if (kind === 'ConditionalExpression' || (is(inner, 'BinaryExpression') && isChoice(inner))) {
    return inner.forEachChildAsArray().some((child) => isState(child, scope))
  }
  if (!is(inner, 'Identifier')) return false
  // Another name for state of the same function.
  return declarationsOf(inner).some((declaration) => {
    if (!is(declaration, 'VariableDeclaration') || !declaration.getAncestors().includes(scope)) return false
    const own = declaration.getInitializer()
    return own !== undefined && own !== value && isState(own, scope)
  })
}

function isConstant(value: Node): boolean {
  return is(value.getParent(), 'VariableDeclaration') && /\bas const$/.test(value.getText())
}

function hasOnlyFunctions(object: Node): boolean {
  const members = is(object, 'ObjectLiteralExpression') ? object.getProperties() : []
  return (
    members.length > 0 &&
    members.every((member) => {
      const value = memberValue(member)
      return isFunction(member) || (value !== undefined && isFunction(unwrap(value)))
    })
  )
}

/** `a ?? b` */
function isChoice(expression: BinaryExpression): boolean {
  return /^(?:\?\?|\|\||&&)$/.test(expression.getOperatorToken().getText())
}

/** `z.object({ … }).strict()`, `join(a, b)`, and functions of the program that return a literal. */
function isFixed(call: CallExpression): boolean {
  let root: Node = call
  while (is(root, 'CallExpression') || is(root, 'PropertyAccessExpression')) root = unwrap(root.getExpression())
  const name = root.getText()
  if (!is(root, 'Identifier')) return false
  const isImported = root
    .getSourceFile()
    .getImportDeclarations()
    .filter((one) => FIXED_MODULES.test(one.getModuleSpecifierValue()))
    .some((one) => descendants(one, 'Identifier').some((local) => local.getText() === name))
  if (isImported || name === 'z' || name === 'path') return true
  const returned = returnsOfCall(call)
  return returned.length > 0 && returned.every((value) => LITERALS.test(unwrap(value).getKindName()))
}

function returnsOfCall(call: CallExpression): Node[] {
  const fn = resolveFunction(call.getExpression())
  return fn === undefined ? [] : returnsOf(fn)
}

/** The call or the `new` that gets this value as an argument, or inside of one. */
export function handsOn(use: Node): CallExpression | NewExpression | undefined {
  let at: Node = use
  for (let parent = at.getParent(); parent !== undefined; parent = at.getParent()) {
    if (is(parent, 'CallExpression') || is(parent, 'NewExpression')) {
      return parent.getArguments().includes(at) ? parent : undefined
    }
    if (!PASSES.has(parent.getKindName())) return undefined
    at = parent
  }
  return undefined
}

const PASSES = new Set([
  'ObjectLiteralExpression',
  'PropertyAssignment',
  'ShorthandPropertyAssignment',
  'ArrayLiteralExpression',
  'SpreadElement',
  'SpreadAssignment',
  'ParenthesizedExpression',
  'AsExpression',
  'SatisfiesExpression',
  'NonNullExpression',
])
