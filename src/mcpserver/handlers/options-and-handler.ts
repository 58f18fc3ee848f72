// What is registered may come without options: the handler then stands in their place.

interface Registered {
  readonly options: object
  readonly run: unknown
}

/** Throws `TypeError` for a handler that is none. `owner` is as in `tool "add"`. */
export function checkHandler(owner: string, run: unknown): void {
  if (typeof run !== 'function') throw new TypeError(`The handler of ${owner} must be a function`)
}

/** A missing handler is found by whoever can name its owner. */
export function optionsAndHandler<Definition extends Registered>(
  options: object,
  handler: unknown,
): Pick<Definition, 'options' | 'run'> {
  return handler === undefined && typeof options === 'function'
    ? { options: {}, run: options }
    : { options, run: handler }
}
