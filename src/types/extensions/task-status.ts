// Which states of a task are the last.

/** Whether nothing of the task changes any more. A status that the specification does not define is not final. */
export function isFinal({ status }: { readonly status: string }): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
