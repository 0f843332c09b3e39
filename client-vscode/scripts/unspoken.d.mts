/** Patterns of ESLint's `no-restricted-syntax` that find words which are not translated. */
export declare const UNSPOKEN: { readonly selector: string; readonly message: string }[];
