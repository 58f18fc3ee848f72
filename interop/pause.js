// The official clients lose progress that arrives in one piece with the result, so that servers of the matrix pause between.
import { setTimeout as sleep } from 'node:timers/promises'

export const pause = () => sleep(20)
