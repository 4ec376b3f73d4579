import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseObjectList } from '../../../src/platform/blobs/s3.ts'

const object = (key: string, at: string) =>
  `<Contents><Key>${key}</Key><LastModified>${at}</LastModified><ETag>&quot;x&quot;</ETag><Size>1</Size></Contents>`

const page = (inner: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>avatars</Name>${inner}</ListBucketResult>`

test('a list of objects is parsed into names, times and the continuation token', () => {
  const objects =
    object('usr_a/1.webp', '2026-01-15T12:00:00.000Z') + object('b &amp; &lt;c&#x3e;&#62;', '2026-01-16T12:00:00Z')
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>1/a+b=&amp;</NextContinuationToken>'
  assert.deepEqual(parseObjectList(page(more + objects)), {
    blobs: [
      { name: 'usr_a/1.webp', modifiedAt: Date.UTC(2026, 0, 15, 12) },
      { name: 'b & <c>>', modifiedAt: Date.UTC(2026, 0, 16, 12) },
    ],
    next: '1/a+b=&',
  })
})

test('an empty list, the last page, an object without a valid time, and text that is not XML give no blobs and no token', () => {
  assert.deepEqual(parseObjectList(page('<IsTruncated>false</IsTruncated>')), { blobs: [], next: undefined })
  const last = '<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>'
  assert.deepEqual(parseObjectList(page(last + object('a', 'never'))), { blobs: [], next: undefined })
  assert.deepEqual(parseObjectList('no XML at all'), { blobs: [], next: undefined })
})
