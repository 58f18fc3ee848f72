// What a task store says about the tasks that it ends itself: the same words on every engine.

export const TaskEnding = {
  WorkerLost: 'The worker was lost.',
  NotAnswered: 'Nobody answered the question in time.',
  NotRun: 'The task was not run in time.',
} as const

export function isTaskEnding(text: string): boolean {
  return Object.values<string>(TaskEnding).includes(text)
}
