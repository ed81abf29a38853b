"""What a seat of protocol 7 keeps on disk before it sends anything: keys, signed messages, its transcript."""
