// State that each session had for itself, because a function made a server for each. One server serves all users here, so that
// they would share it without a word. What may be such state is marked; where it cannot be known, it is marked too.
import type {
  CallExpression,
  ClassDeclaration,
  Identifier,
  NewExpression,
  Node,
  ParameterDeclaration,
  PropertyDeclaration,
  VariableDeclaration,
} from 'ts-morph'
import type { Kinds } from '../source/kinds.ts'
import type { Migration } from '../source/migration.ts'
import { declarationsOf, resolveFunction, usesOf } from '../source/names.ts'
import { descendants, is, isFunction, unwrap } from '../source/nodes.ts'
import { handsOn, isState } from '../source/state.ts'

/** Where state goes that belongs to one user or one session. */
export function ownPlace(context = 'ctx'): string {
  return `Keep what belongs to a user by ${context}.auth?.subject, and what belongs to a legacy session in ${context}.session.shared.`
}

/** The parts of code that run once for each server: functions, and classes with their constructors. */
type Scope = Node

/** `maker` is the call, or the `new`, that made a server for each session; also the function itself. `at` is where it is called now. */
export function checkSharedState(migration: Migration, kinds: Kinds, maker: Node, at: Node): void {
  migration.note(
    `${maker.getSourceFile().getBaseName()}: the function that made a server for each session is called once now, and its server serves all users.`,
  )
  const finder = new StateFinder(migration, kinds)
  if (!finder.enter(maker)) {
    migration.check(at, `one server serves all users now. Check that what makes it keeps no state. ${ownPlace()}`)
  }
}

class StateFinder {
  readonly #migration: Migration
  readonly #kinds: Kinds
  readonly #seen = new Set<Scope>()

  constructor(migration: Migration, kinds: Kinds) {
    this.#migration = migration
    this.#kinds = kinds
  }

  /** Returns whether the code that makes the server can be read. */
  enter(maker: Node): boolean {
    const inner = unwrap(maker)
    if (is(inner, 'NewExpression')) {
      const owner = classOf(inner)
      if (owner !== undefined) this.#visitClass(owner)
      return owner !== undefined || this.#kinds.of(inner) !== undefined
    }
    const fn = is(inner, 'CallExpression') ? resolveFunction(inner.getExpression()) : resolveFunction(inner)
    if (fn?.getBody() === undefined) return false
    this.#visit(fn)
    return true
  }

  #visit(scope: Scope): void {
    if (this.#seen.has(scope)) return
    this.#seen.add(scope)
    for (const node of ownNodes(scope)) {
      if (is(node, 'VariableDeclaration')) this.#variable(node, scope)
      else if (is(node, 'CallExpression')) this.#call(node)
      else if (is(node, 'NewExpression')) this.#creation(node)
    }
    const parameters = (scope as unknown as { getParameters?(): ParameterDeclaration[] }).getParameters?.() ?? []
    for (const parameter of parameters) this.#parameter(parameter, scope)
  }

  /** Functions that the maker calls, and those that it gives to others, as in `names.forEach((name) => …)`. */
  #call(call: CallExpression): void {
    const fn = resolveFunction(call.getExpression())
    if (fn !== undefined) this.#visit(fn)
    if (this.#isRegistration(call)) return
    for (const arg of call.getArguments()) if (isFunction(unwrap(arg))) this.#visit(unwrap(arg))
  }

  /** Classes of the program that have to do with the server. */
  #creation(creation: NewExpression): void {
    const owner = classOf(creation)
    const hasServer = (nodes: readonly Node[]) => nodes.some((node) => this.#isServer(node))
    if (owner === undefined) return
    if (hasServer(creation.getArguments()) || hasServer(descendants(owner, 'NewExpression'))) this.#visitClass(owner)
  }

  #visitClass(owner: ClassDeclaration): void {
    if (this.#seen.has(owner)) return
    this.#seen.add(owner)
    const declared = new Set<string>()
    for (const property of owner.getProperties()) {
      declared.add(property.getName())
      if (!property.isStatic() && this.#isOwnState(property, owner)) this.#check(property, property.getName())
    }
    for (const own of owner.getConstructors()) {
      this.#visit(own)
      for (const assignment of descendants(own, 'BinaryExpression')) {
        const target = assignment.getLeft()
        const isMember = is(target, 'PropertyAccessExpression') && target.getExpression().getText() === 'this'
        if (!isMember || declared.has(target.getName())) continue
        if (this.#isState(assignment.getRight(), own)) this.#check(assignment, target.getName())
      }
    }
  }

  /** A member that is an object, or that something but the constructor changes. */
  #isOwnState(property: PropertyDeclaration, owner: ClassDeclaration): boolean {
    const name = property.getNameNode()
    if (this.#kinds.of(name) !== undefined) return false
    const value = property.getInitializer()
    if (value !== undefined && this.#isState(value, property)) return true
    return changesOf(owner, name.getText()).some((change) => {
      const isFirst = is(change, 'BinaryExpression') && isInConstructor(change)
      return !isFirst || this.#isState(change.getRight(), property)
    })
  }

  #variable(declaration: VariableDeclaration, scope: Scope): void {
    const value = declaration.getInitializer()
    const isConst = /^const\b/.test(declaration.getParent()?.getText() ?? '')
    const holdsState = value !== undefined && this.#isState(value, scope)
    const isFixed = value !== undefined && (isFunction(unwrap(value)) || this.#isOther(value))
    if (isConst ? !holdsState : isFixed) return
    const names = namesOf(declaration.getNameNode()).filter((name) => {
      if (this.#kinds.of(name) !== undefined) return false
      return usesOf(name, this.#migration.files).some((use) => isInner(use, scope) || this.#escapes(use, holdsState))
    })
    if (names.length > 0) this.#check(declaration, names.map((name) => name.getText()).join(', '))
  }

  /** `(server, notes = new Map())`, where nobody passes any. */
  #parameter(parameter: ParameterDeclaration, scope: Scope): void {
    const value = parameter.getInitializer()
    if (value !== undefined && this.#isState(value, scope)) this.#check(parameter, parameter.getNameNode().getText())
  }

  /** An object that is handed to other code, which may keep it. The SDK keeps only what describes a tool. */
  #escapes(use: Identifier, holdsState: boolean): boolean {
    if (!holdsState) return false
    const receiver = handsOn(use)
    if (receiver === undefined) return false
    if (is(receiver, 'NewExpression')) return !this.#isServer(receiver)
    return !this.#isRegistration(receiver) && !this.#isOther(receiver)
  }

  #isRegistration(call: CallExpression): boolean {
    const callee = call.getExpression()
    return is(callee, 'PropertyAccessExpression') && this.#isServer(callee.getExpression())
  }

  #isServer(node: Node): boolean {
    const kind = this.#kinds.of(node)
    return kind === 'mcp-server' || kind === 'low-server'
  }

  #isState(value: Node, scope: Scope): boolean {
    return isState(value, scope) && !this.#isOther(value)
  }

  /** Servers, transports and templates of the SDK: other files rewrite them. */
  #isOther(value: Node): boolean {
    return this.#kinds.of(value) !== undefined
  }

  #check(node: Node, name: string): void {
    this.#migration.check(node, `all users share ${name} now, because the server is made once. ${ownPlace()}`)
  }
}

/** The nodes that run with the scope: those of functions inside come later, with a call. */
function ownNodes(scope: Scope): Node[] {
  const found: Node[] = []
  scope.forEachDescendant((node, traversal) => {
    if (isFunction(node) || node.getKindName() === 'ClassDeclaration') traversal.skip()
    else found.push(node)
  })
  return found
}

function isInner(use: Node, scope: Scope): boolean {
  const ancestors = use.getAncestors()
  const index = ancestors.indexOf(scope)
  return ancestors.slice(0, index === -1 ? 0 : index).some(isFunction)
}

function namesOf(pattern: Node): Identifier[] {
  if (is(pattern, 'Identifier')) return [pattern]
  return descendants(pattern, 'BindingElement').flatMap((element) => namesOf(element.getNameNode()))
}

function classOf(creation: NewExpression): ClassDeclaration | undefined {
  return declarationsOf(unwrap(creation.getExpression())).find(
    (node): node is ClassDeclaration => node.getKindName() === 'ClassDeclaration',
  )
}

/** `this.name = …`, `this.name += …` and `this.name++` in a class. */
function changesOf(owner: ClassDeclaration, name: string): Node[] {
  const found: Node[] = []
  for (const access of descendants(owner, 'PropertyAccessExpression')) {
    const change = access.getParent()
    if (access.getName() !== name || change === undefined) continue
    const isAssigned =
      is(change, 'BinaryExpression') &&
      change.getLeft() === access &&
      /^[^=!<>]*=$/.test(change.getOperatorToken().getText())
    if (isAssigned || /^P(?:ost|re)fixUnaryExpression$/.test(change.getKindName())) found.push(change)
  }
  return found
}

/** Not in a function inside of it, which runs later. */
function isInConstructor(node: Node): boolean {
  return (
    node
      .getAncestors()
      .find((one) => isFunction(one) || one.getKindName() === 'Constructor')
      ?.getKindName() === 'Constructor'
  )
}
