// Checks the imports in src/ against the layers in layers.ts.
import { globSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'
import { AREAS, TOP } from './layers.ts'

const FOLDERS = [...AREAS.flatMap(([, layers]) => layers), TOP].flatMap((layer, height) =>
  layer.map((name) => ({ name, height })),
)
/** The longest first: a folder inside another one is a layer of its own. */
const BY_LENGTH = FOLDERS.toSorted((one, other) => other.name.length - one.name.length)

/** Routes may use guards and rules of every layer, because only `app.ts` imports them. */
const ROUTES = /(?:^|[/-])routes\.ts$/
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+\.(?:ts|json))'/g

const problems: string[] = []
const used = new Set<string>()

for (const file of globSync('**/*.ts', { cwd: 'src' }).toSorted()) {
  const from = folderOf(file)
  if (!from) continue
  used.add(from.name)
  for (const [, specifier = ''] of readFileSync(`src/${file}`, 'utf8').matchAll(IMPORT)) {
    const target = posix.normalize(posix.join(dirname(file), specifier))
    // The catalogue is data outside of src.
    if (target.startsWith('..')) continue
    const to = folderOf(target)
    if (to) check({ file, from, target, to })
  }
}
for (const { name } of FOLDERS) if (!used.has(name)) problems.push(`${name}: there is no such folder or file.`)

interface Folder {
  name: string
  height: number
}
interface Import {
  file: string
  from: Folder
  target: string
  to: Folder
}

function check({ file, from, target, to }: Import): void {
  const isTop = TOP.includes(from.name)
  if (ROUTES.test(target) && file !== 'app.ts') problems.push(`${file} imports ${target}: only app.ts mounts routes.`)
  if (isTop || from.name === to.name) return
  if (TOP.includes(to.name)) problems.push(`${file} imports ${target}, which is of the process itself.`)
  else if (!ROUTES.test(file) && to.height >= from.height)
    problems.push(`${file} imports ${target}: ${to.name} is not in a lower layer than ${from.name}.`)
}

function folderOf(file: string): Folder | undefined {
  const found = BY_LENGTH.find(({ name }) => file === name || file.startsWith(`${name}/`))
  if (!found) problems.push(`${file} is in no layer.`)
  return found
}

for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) {
  process.stderr.write('docs/architecture.md says what belongs where; the layers are in scripts/layers.ts.\n')
  process.exitCode = 1
}
