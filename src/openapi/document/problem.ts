// Why an operation cannot become a tool. It is caught for that operation and reported, so that the others are served.

export class MappingProblem extends Error {
  /** Where in the document, as a JSON pointer. */
  readonly pointer: string

  constructor(message: string, pointer: string) {
    super(message)
    this.pointer = pointer
  }
}
