// Requests of a server to its client. The next version of the server counts its ids from the start again, so from the second version on
// the client sees ids of ours: an answer that comes late cannot reach the wrong question.
/** A version of the server that asks. */
export interface Asker {
  readonly generation: number
}

interface Question<From extends Asker> {
  readonly link: From
  /** As the server sent it, in JSON. */
  readonly id: string
}

const MAX_QUESTIONS = 10_000

export class Questions<From extends Asker> {
  readonly #open = new Map<string, Question<From>>()

  /** The id for the client. */
  add(link: From, id: string): string {
    const shown = showId(link, id)
    if (this.#open.size < MAX_QUESTIONS) this.#open.set(shown, { link, id })
    return shown
  }

  /** The question that an answer is for; `undefined` for a late one. */
  take(shown: string): Question<From> | undefined {
    const question = this.#open.get(shown)
    this.#open.delete(shown)
    return question
  }

  /** The server has given up on it. */
  drop(link: From, id: string): string {
    const shown = showId(link, id)
    this.#open.delete(shown)
    return shown
  }

  /** Forgets those of one server; returns their ids for the client. */
  dropAll(link: From): string[] {
    const shown = [...this.#open].filter(([, question]) => question.link === link).map(([id]) => id)
    for (const id of shown) this.#open.delete(id)
    return shown
  }
}

function showId({ generation }: Asker, id: string): string {
  return generation === 1 ? id : JSON.stringify(`reload-${generation}-${id}`)
}
