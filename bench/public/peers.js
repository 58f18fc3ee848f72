// Peers that are no dependency: installed apart, and found by the path that the benchmark gives.
import { pathToFileURL } from 'node:url'

export const PEERS = JSON.parse(process.env.MCPWIRE_BENCH_PEERS ?? '{}')

export const peer = (name) => import(pathToFileURL(PEERS[name]).href)
