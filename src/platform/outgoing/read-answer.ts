import type { IncomingMessage } from 'node:http'

const MAX_ANSWER_BYTES = 64 * 1024

/** Reads so much of an answer, and closes the connection if there is more. Bytes are counted as they come: nothing is unpacked. */
export async function readAnswer(
  answer: IncomingMessage,
  maxBytes = MAX_ANSWER_BYTES,
): Promise<{ body: Buffer; isCut: boolean }> {
  const limit = Math.min(maxBytes, MAX_ANSWER_BYTES)
  const chunks: Buffer[] = []
  let length = 0
  // Leaving the loop destroys the answer and its connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) break
  }
  return { body: Buffer.concat(chunks).subarray(0, limit), isCut: length > limit }
}
