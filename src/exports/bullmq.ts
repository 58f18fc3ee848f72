// mcpwire/bullmq: tasks as jobs of a BullMQ queue.
export { type BullMQExecutorOptions, type BullMQQueue, bullmqExecutor } from '../bullmq/bullmq-executor.ts'
