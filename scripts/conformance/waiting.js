// The scenarios that wait for an extension which mcpwire does not have. One that passes all the same does not belong here.

export const waiting = {
  'tasks extension': [/^tasks-/],
}

/** What a scenario waits for; `undefined` when nothing excuses it. */
export function waitsFor(scenario) {
  return Object.keys(waiting).find((extension) => waiting[extension].some((pattern) => pattern.test(scenario)))
}
