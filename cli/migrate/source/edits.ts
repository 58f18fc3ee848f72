// Changes of one source text. What is not changed keeps every character, comments and formatting included.

interface Edit {
  readonly start: number
  readonly end: number
  /** A function is called when the text is written, so that it can contain other changed parts. */
  readonly text: string | (() => string)
}

/** Edits may be nested: an outer one decides with `render` which parts of its range appear, and where. */
export class TextEdits {
  readonly #source: string
  readonly #edits: Edit[] = []
  /** Edits whose text is being written: they are not applied inside themselves. */
  readonly #active = new Set<Edit>()

  /** The parts of the source that the new text has, worked out when somebody asks. */
  #kept: { start: number; end: number }[] | undefined
  #isTracing = false

  constructor(source: string) {
    this.#source = source
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0
  }

  replace(start: number, end: number, text: string | (() => string)): void {
    this.#edits.push({ start, end, text })
    this.#kept = undefined
  }

  insert(at: number, text: string | (() => string)): void {
    this.replace(at, at, text)
  }

  remove(start: number, end: number): void {
    this.replace(start, end, '')
  }

  /** Whether this range is in the new text as it was. What an edit moves is kept too. */
  keeps(start: number, end: number): boolean {
    if (this.#kept === undefined) {
      this.#kept = []
      this.#isTracing = true
      try {
        this.render()
      } finally {
        this.#isTracing = false
      }
    }
    return this.#kept.some((range) => range.start <= start && range.end >= end)
  }

  /** The text of a range with all changes inside it. */
  render(start = 0, end = this.#source.length): string {
    const inside = this.#edits
      .map((edit, order) => ({ edit, order }))
      .filter(({ edit }) => edit.start >= start && edit.end <= end && !this.#active.has(edit))
      // The outermost first; at one place insertions before replacements, in the order in which they were made.
      .sort((a, b) => a.edit.start - b.edit.start || insertionFirst(a.edit, b.edit) || a.order - b.order)
    let text = ''
    let at = start
    for (const { edit } of inside) {
      if (edit.start < at) continue
      text += this.#copy(at, edit.start) + this.#write(edit)
      at = edit.end
    }
    return text + this.#copy(at, end)
  }

  #copy(start: number, end: number): string {
    if (this.#isTracing && start < end) this.#kept?.push({ start, end })
    return this.#source.slice(start, end)
  }

  #write(edit: Edit): string {
    if (typeof edit.text === 'string') return edit.text
    this.#active.add(edit)
    try {
      return edit.text()
    } finally {
      this.#active.delete(edit)
    }
  }
}

function insertionFirst(a: Edit, b: Edit): number {
  const isInsertion = (edit: Edit) => edit.start === edit.end
  if (isInsertion(a) !== isInsertion(b)) return isInsertion(a) ? -1 : 1
  return b.end - a.end
}
