// What authors have registered, in order: found by key, enabled and disabled, and announced when it changes.
import { orderError, withHelp } from '../../primitives/help.ts'
import { quote } from '../../schema/json-schema.ts'
import type { OnDuplicate } from '../handlers/host.ts'

/** A registration, to change or remove it. `Changes` is what `update` accepts. */
export interface Handle<Changes> {
  /** The name, uri or uri template. */
  readonly key: string
  /** False after `disable()`. Clients then don't see it. */
  readonly isEnabled: boolean
  /** Changes the given options and keeps the rest. Throws, and changes nothing, if the result can't be registered. */
  update(changes: Changes): void
  /** Hides it, as if it were not registered, until `enable`. */
  disable(): void
  /** Shows it to clients again after `disable()`. Announces the change. */
  enable(): void
  /** Removes it for good. The name is free again. */
  remove(): void
}

/** A registration with its position. Numbers are never reused, so that cursors stay valid when the list changes. */
export interface Slot<Item> {
  readonly key: string
  readonly order: number
  item: Item
  isEnabled: boolean
}

export interface RegistryOptions {
  /** The kind of item, for error messages. */
  readonly kind: string
  readonly onDuplicate: OnDuplicate
  /** Called after each change of what is enabled. */
  readonly onChange: () => void
}

export class Registry<Item> {
  readonly #slots = new Map<string, Slot<Item>>()
  readonly #options: RegistryOptions
  #nextOrder = 0
  #enabled: readonly Slot<Item>[] | undefined

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** The enabled items, in order. The same array until something changes. */
  get enabled(): readonly Slot<Item>[] {
    this.#enabled ??= [...this.#slots.values()].filter(({ isEnabled }) => isEnabled)
    return this.#enabled
  }

  find(key: string): Item | undefined {
    const slot = this.#slots.get(key)
    return slot?.isEnabled === true ? slot.item : undefined
  }

  /** Whether this very item is registered, enabled or not. */
  holds(key: string, item: Item, version?: string): boolean {
    return this.#slots.get(idOf(key, version))?.item === item
  }

  /** Whether anything has this key, enabled or not: with a version, or without one. */
  has(key: string, kind: 'versioned' | 'unversioned'): boolean {
    if (kind === 'unversioned') return this.#slots.has(key)
    for (const [id, slot] of this.#slots) if (slot.key === key && id !== key) return true
    return false
  }

  /**
   * Compiles and adds a definition; `update` compiles it again with its changes, as `read` gives them. Several versions can have one
   * key; `find` knows what has none.
   */
  register<Definition extends object>(
    key: string,
    definition: Definition,
    compile: (definition: Definition) => Item,
    read: (changes: Partial<Definition>) => Partial<Definition>,
    version?: string,
  ): Handle<Partial<Definition>> {
    const id = idOf(key, version)
    const slot = this.#add(key, id, compile(definition))
    const requireHere = () => {
      if (this.#slots.get(id) !== slot)
        throw orderError(`The ${this.#options.kind} ${quote(key)} has been removed. Register it again instead.`)
    }
    const enable = (isEnabled: boolean) => {
      requireHere()
      if (slot.isEnabled === isEnabled) return
      slot.isEnabled = isEnabled
      this.#change()
    }
    let current = definition
    return {
      key,
      get isEnabled() {
        return slot.isEnabled
      },
      update: (changes) => {
        requireHere()
        const changed = { ...current, ...read(changes) }
        slot.item = compile(changed)
        current = changed
        this.#change()
      },
      disable: () => enable(false),
      enable: () => enable(true),
      remove: () => {
        if (this.#slots.get(id) !== slot) return
        slot.isEnabled = false
        this.#slots.delete(id)
        this.#change()
      },
    }
  }

  /** A replacement keeps the position. */
  #add(key: string, id: string, item: Item): Slot<Item> {
    const known = this.#slots.get(id)
    if (known !== undefined && this.#options.onDuplicate === 'error') {
      const { kind } = this.#options
      throw withHelp(
        'duplicate-name',
        new RangeError(
          `A ${kind} ${quote(key)}${id === key ? '' : ' of this version'} is already registered. Choose another name, or set onDuplicate to 'replace'.`,
        ),
      )
    }
    if (known !== undefined) known.isEnabled = false
    const slot = { key, order: known?.order ?? this.#nextOrder++, item, isEnabled: true }
    this.#slots.set(id, slot)
    this.#change()
    return slot
  }

  #change(): void {
    this.#enabled = undefined
    this.#options.onChange()
  }
}

/** No key has a NUL. */
function idOf(key: string, version: string | undefined): string {
  return version === undefined ? key : `${key}\0${version}`
}
