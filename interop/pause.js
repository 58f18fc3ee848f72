// The official clients lose progress that arrives in one chunk with the result, so servers of the matrix pause between them.
import { setTimeout as sleep } from 'node:timers/promises'

export const pause = () => sleep(20)
