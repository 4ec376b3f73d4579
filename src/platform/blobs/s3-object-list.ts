import type { StoredBlob } from './blobs.ts'

interface Page {
  blobs: StoredBlob[]
  /** The continuation token, if there is more. */
  next: string | undefined
}

/** Parses an answer to ListObjectsV2: flat XML without relevant attributes, so that it needs no full XML parser. */
export function parseObjectList(xml: string): Page {
  const blobs = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, content = '']) => ({
    name: textOf(content, 'Key') ?? '',
    modifiedAt: Date.parse(textOf(content, 'LastModified') ?? ''),
  }))
  const rest = xml.replaceAll(/<Contents>.*?<\/Contents>/gs, '')
  const isTruncated = textOf(rest, 'IsTruncated') === 'true'
  return {
    blobs: blobs.filter(({ name, modifiedAt }) => name !== '' && !Number.isNaN(modifiedAt)),
    next: isTruncated ? textOf(rest, 'NextContinuationToken') : undefined,
  }
}

const textOf = (xml: string, element: string): string | undefined => {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1]
  return text?.replaceAll(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, entity: string) => decode(entity) ?? whole)
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(entity: string): string | undefined {
  if (!entity.startsWith('#')) return NAMED[entity]
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}
