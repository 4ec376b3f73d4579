import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attachLoad } from './compare.ts'
import { OPERATIONS } from './operations.ts'
import { newFolder, removeFolder, seedFile, startOnCopy } from './servers.ts'

interface CpuProfile {
  nodes: { id: number; hitCount: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
}

const SAMPLE_US = 250
const SHOWN_FUNCTIONS = 25

/** Puts Latchkey alone under load, writes a CPU profile, and returns lines on the functions that took most of the time. */
export async function profile(operation: string, outputFolder: string, milliseconds: number): Promise<string[]> {
  if (!OPERATIONS.some(({ name }) => name === operation)) throw new Error(`There is no operation ${operation}.`)
  const folder = newFolder()
  mkdirSync(outputFolder, { recursive: true })
  const name = `${operation}.cpuprofile`
  try {
    const { file, fixture } = await seedFile(folder, 0)
    const nodeFlags = [
      '--cpu-prof',
      `--cpu-prof-interval=${SAMPLE_US}`,
      `--cpu-prof-dir=${outputFolder}`,
      `--cpu-prof-name=${name}`,
    ]
    const server = await startOnCopy(folder, file, { nodeFlags })
    const loaded = await attachLoad(server)
    try {
      await loaded.prepare(operation, fixture, 32)
      await loaded.run(milliseconds)
    } finally {
      loaded.close()
      await server.stop()
    }
  } finally {
    removeFolder(folder)
  }
  const path = join(outputFolder, name)
  if (!existsSync(path)) throw new Error('The profile was not written.')
  return [`Written: ${path} (open it in the developer tools of a browser)`, '', ...topFunctions(path)]
}

/** By self time: without the functions that a function calls. */
function topFunctions(path: string): string[] {
  const { nodes } = JSON.parse(readFileSync(path, 'utf8')) as CpuProfile
  const hits = new Map<string, number>()
  let busy = 0
  for (const { hitCount, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame
    if (functionName === '(idle)') continue
    busy += hitCount
    const location = url.replace(/^.*\/(node_modules|src)\//, '$1/')
    const key = `${functionName || '(anonymous)'} ${location}:${lineNumber + 1}`
    hits.set(key, (hits.get(key) ?? 0) + hitCount)
  }
  return [...hits]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN_FUNCTIONS)
    .map(([key, count]) => `${((100 * count) / busy).toFixed(1).padStart(5)} %  ${key}`)
}
