// The cells of the matrix with the Python SDK as client or as server: the same checks, in processes of its own.
import { SERVERS } from './matrix.js'
import { preparePython } from './python/environment.js'
import { runCell } from './run-cell.js'

/** What the server in Python can be reached over, and the eras that it speaks there. */
const PYTHON_SERVER = {
  stdio: ['legacy', 'modern'],
  'http-json': ['legacy', 'modern'],
  'http-sse': ['legacy', 'modern'],
  sse: ['legacy'],
}

/** Cells with Python on one side and mcpwire on the other. */
export function listPythonCells() {
  return [...cellsOf('python', 'mcpwire', SERVERS.mcpwire), ...cellsOf('mcpwire', 'python', PYTHON_SERVER)]
}

function cellsOf(client, server, transports) {
  return Object.entries(transports).flatMap(([transport, eras]) =>
    eras.map((era) => ({ client, server, transport, era })),
  )
}

let prepared

/** The outcomes of one cell, or the reason why this machine cannot run it. */
export async function runPythonCell(cell) {
  prepared ??= { reason: preparePython() }
  if (prepared.reason !== undefined) return { reason: prepared.reason }
  return { outcomes: await runCell(cell) }
}
