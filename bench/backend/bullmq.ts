// The same work with BullMQ, on the same Redis: jobs are added, taken and completed, so many at the same time.
import { Queue, Worker } from 'bullmq'

const INPUT = 'i'.repeat(300)
const LEASE_MS = 30_000
const OPTIONS = { removeOnComplete: 1_000, attempts: 1 }

export interface JobsInFlight {
  /** One run is all of them. */
  run(): Promise<unknown>
  close(): Promise<void>
}

/** Each step by a call, as ours are claimed and finished. */
export async function jobsByHand(socket: string, inFlight: number): Promise<JobsInFlight> {
  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = new Queue('by-hand', { connection })
  const worker = new Worker('by-hand', null, { connection, lockDuration: LEASE_MS })
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
  let made = 0
  const seeThrough = async () => {
    made += 1
    const token = `w${made}`
    await queue.add('report', { input: INPUT }, OPTIONS)
    const job = await worker.getNextJob(token, { block: false })
    if (job === undefined) throw new Error('There was no job to take')
    await job.moveToCompleted(INPUT, token, false)
  }
  return {
    run: () => Promise.all(Array.from({ length: inFlight }, seeThrough)),
    close: async () => {
      await worker.close()
      await queue.close()
    },
  }
}

/** By a worker of BullMQ, as it is used. */
export async function jobsByWorker(socket: string, inFlight: number): Promise<JobsInFlight> {
  const connection = { path: socket, maxRetriesPerRequest: null }
  const queue = new Queue('by-worker', { connection })
  const settings = { connection, lockDuration: LEASE_MS, concurrency: inFlight }
  const worker = new Worker('by-worker', async () => INPUT, settings)
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
  let left = 0
  let allDone = () => {}
  worker.on('completed', () => {
    left -= 1
    if (left === 0) allDone()
  })
  return {
    run: async () => {
      left = inFlight
      const done = new Promise<void>((resolve) => {
        allDone = resolve
      })
      const adding = Array.from({ length: inFlight }, () => queue.add('report', { input: INPUT }, OPTIONS))
      await Promise.all([done, ...adding])
    },
    close: async () => {
      await worker.close()
      await queue.close()
    },
  }
}
