// What is registered may come without options: the handler then stands in their place.

interface Registered {
  readonly options: object
  readonly run: unknown
}

/** A missing handler is found when the definition is compiled, where the message can name its owner. */
export function optionsAndHandler<Definition extends Registered>(
  options: object,
  handler: unknown,
): Pick<Definition, 'options' | 'run'> {
  return handler === undefined && typeof options === 'function'
    ? { options: {}, run: options }
    : { options, run: handler }
}
