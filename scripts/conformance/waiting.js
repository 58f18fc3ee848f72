// The scenarios that wait for something. One that passes all the same does not belong here.

export const waiting = {
  // It skips itself: its harness looks at the response of tools/call, where no notifications of tasks are sent.
  'a harness that looks at the right stream': [/^tasks-status-notifications$/],
}

/** What a scenario waits for; `undefined` when nothing excuses it. */
export function waitsFor(scenario) {
  return Object.keys(waiting).find((reason) => waiting[reason].some((pattern) => pattern.test(scenario)))
}
