import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

const TYPE_A = 1
const RESPONSE = 0x8180
const NO_SUCH_NAME = 3

/** Answers for the IPv4 addresses of names; an empty list is a name that does not exist, and a name without a list gets no answer. */
export async function startNameServer(t: TestContext, names: Record<string, string[]>): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (question, { port, address }) => {
    const { name, type, end } = readQuestion(question)
    const addresses = names[name]
    if (!addresses) return
    const answers = type === TYPE_A ? addresses : []
    const head = Buffer.alloc(12)
    head.writeUInt16BE(question.readUInt16BE(0), 0)
    head.writeUInt16BE(addresses.length > 0 ? RESPONSE : RESPONSE | NO_SUCH_NAME, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    // A pointer to the name of the question, type A, class IN, 0 seconds, four bytes.
    const records = answers.map((each) =>
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...each.split('.').map(Number)]),
    )
    server.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `127.0.0.1:${server.address().port}`
}

/** RFC 1035 section 4.1.2. */
function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}
