export interface StoredBlob {
  name: string
  /** Epoch milliseconds, by the clock of the store. */
  modifiedAt: number
}

/** Where avatars are kept: small objects named `folder/file`, written whole, read whole. */
export interface Blobs {
  /** Durable when this resolves. */
  put(name: string, bytes: Buffer, contentType: string): Promise<void>
  get(name: string): Promise<Buffer | undefined>
  /** Deleting what is not there is no error. */
  delete(name: string): Promise<void>
  /** Deletes everything in a folder. */
  deleteFolder(folder: string): Promise<void>
  /** All blobs, or those of a folder, in no order, read in pages. What is added or deleted meanwhile may be left out. */
  list(folder?: string): AsyncIterable<StoredBlob>
}
