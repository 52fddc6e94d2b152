export interface components {
    schemas: {
        /** @description An error that API Gateway makes for all interfaces. */
        FrontError: {
            /** @constant */
            jsonrpc: "2.0";
            id: null;
            error: {
                code: number;
                message: string;
                data: {
                    reason?: string;
                    retryable?: boolean;
                };
            };
        };
        /** @description Lower case. */
        Address: string;
        Hash: string;
        Hex: string;
        /** @description Address of a pool; the 32-byte id with Uniswap V4. */
        PoolId: string;
        /** @description A whole number in decimal digits: it may exceed 2^53. */
        Decimal: string;
        SignedDecimal: string;
        /** @description A decimal fraction, exact, as text. */
        Fraction: string;
        /** @description ISO 8601, UTC. */
        Timestamp: string;
        /**
         * @description What the answer reflects.
         * @example {
         *       "as_of_block": 960,
         *       "finalized_block": 704,
         *       "coverage": "full",
         *       "refreshed_at": "2026-11-21T08:34:09Z",
         *       "rows_read": 1,
         *       "query_ms": 4
         *     }
         */
        Meta: {
            /** @description Indexed head block the answer reflects. */
            as_of_block: number;
            /** @description 256 blocks below the indexed head, and never below 0: on a chain of fewer blocks it is the genesis block, which is final. */
            finalized_block: number;
            /**
             * @description Whether the data set is complete for what was asked: `partial` if blocks of the window are missing or `clamp` cut it, `none` if all of them are missing. Prices, candles and daily figures are judged up to `finalized_block`.
             * @enum {string}
             */
            coverage: "full" | "partial" | "none";
            /** @description When the answer's data was last refreshed. */
            refreshed_at: components["schemas"]["Timestamp"];
            /** @description Rows that the query read; present only when known. */
            rows_read?: number;
            /** @description Query time in milliseconds. */
            query_ms: number;
        };
        /**
         * @example {
         *       "error": {
         *         "code": "not_found",
         *         "message": "block 12 has no live row"
         *       }
         *     }
         */
        ErrorBody: {
            error: {
                code: string;
                message: string;
            };
        };
        /**
         * @description A chain that the Data API has indexed.
         * @example {
         *       "chain": "example_mainnet",
         *       "chain_id": 4663
         *     }
         */
        Chain: {
            chain: string;
            chain_id: number;
        };
        /**
         * @description A block.
         * @example {
         *       "number": 699,
         *       "hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
         *       "parent_hash": "0xe7af91284d5d25e242e803fe873e737cf485b0605cf8354c0e496dae7097e7e6",
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "miner": "0x0000000000000000000000000000000000000000",
         *       "gas_limit": 30000000,
         *       "gas_used": 199449,
         *       "base_fee_per_gas": "7",
         *       "state_root": "0xac079a1977001b0c110c9f3c8a418d3a6ba9bd17cc276e800b32b847a873d304",
         *       "transactions_root": "0xe14297628763fc485623df2a91522f5863ed144e3ab2c70417dc5aca982e3890",
         *       "receipts_root": "0x468bf17b54ec6296fab2a5f2f0bffa9f431c03ed63b0e0899ef9f366b4c08422",
         *       "tx_count": 3,
         *       "size": 1693,
         *       "l1_block_number": null,
         *       "extra": {
         *         "nonce": "0x0000000000000000",
         *         "mixHash": "0x1e8170d27ca46dce4da9ef4926a0f8eb4f39d982a5b0d1e76330824a0ae637af",
         *         "difficulty": "0x0",
         *         "extra_data": "0x",
         *         "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
         *         "blobGasUsed": "0x0",
         *         "requestsHash": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         *         "excessBlobGas": "0x0",
         *         "totalDifficulty": "0x0",
         *         "withdrawalsRoot": "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
         *         "parentBeaconBlockRoot": "0x0000000000000000000000000000000000000000000000000000000000000000"
         *       }
         *     }
         */
        Block: {
            number: number;
            hash: components["schemas"]["Hash"];
            parent_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["Timestamp"];
            miner: components["schemas"]["Address"];
            gas_limit: number;
            gas_used: number;
            /** @description Null before EIP-1559. */
            base_fee_per_gas: components["schemas"]["Decimal"] | null;
            state_root: components["schemas"]["Hash"];
            transactions_root: components["schemas"]["Hash"];
            receipts_root: components["schemas"]["Hash"];
            tx_count: number;
            size: number;
            /** @description Block of the parent chain; null on chains that have none. */
            l1_block_number: number | null;
            /** @description Further fields of the node, such as extra_data, send_count and send_root. */
            extra: Record<string, never>;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description How fresh one table is.
         * @example {
         *       "database": "example_mainnet",
         *       "table_name": "blocks",
         *       "category": "chain",
         *       "key_kind": "block",
         *       "max_block_number": 960,
         *       "max_time": "2026-11-21T08:34:00Z",
         *       "seconds_behind": 11,
         *       "blocks_behind": 0,
         *       "rows_estimate": 961,
         *       "bytes_estimate": 524288,
         *       "follow_last_block": 960,
         *       "follow_lag_blocks": 0,
         *       "checked_at": "2026-11-21T08:34:11Z",
         *       "max_day": null,
         *       "days_behind": null,
         *       "trace_min_block": null,
         *       "trace_max_block": null,
         *       "trace_gap_ranges": null,
         *       "trace_gap_blocks": null
         *     }
         */
        FreshnessRow: {
            /** @description Name of the chain. */
            database: string;
            /** @description Name of the table. */
            table_name: string;
            /** @description What the table belongs to. */
            category: string;
            /** @description What its rows are of: `block`, `day` or `snapshot`. */
            key_kind: string;
            /** @description Newest block with a row. A table that is empty because the chain has nothing of the kind is as fresh as the index: `follow_last_block`. */
            max_block_number: number;
            /** @description Time of that block. */
            max_time: components["schemas"]["Timestamp"];
            /** @description Seconds since that block. */
            seconds_behind: number;
            /** @description Blocks from that block to the head of the node. */
            blocks_behind: number;
            /** @description Rows, by the statistics of the database. */
            rows_estimate: number;
            /** @description Bytes with all indexes, by the statistics of the database. */
            bytes_estimate: number;
            /** @description Newest block that the data set covers; the first stored block where it covers none yet. */
            follow_last_block: number;
            /** @description Blocks from that block to the head of the node. */
            follow_lag_blocks: number;
            /** @description When this was read. */
            checked_at: components["schemas"]["Timestamp"];
            /**
             * Format: date
             * @description Newest day with a row; null where rows are not of days.
             */
            max_day: string | null;
            /** @description Days since that day. */
            days_behind: number | null;
            /** @description First block with traces; null but for traces. */
            trace_min_block: number | null;
            /** @description Last block with traces; null but for traces. */
            trace_max_block: number | null;
            /** @description Gaps in the traces; null but for traces. */
            trace_gap_ranges: number | null;
            /** @description Blocks in these gaps; null but for traces. */
            trace_gap_blocks: number | null;
        };
        /**
         * @description A range of blocks that a data set has, or has not.
         * @example {
         *       "from_block": 1,
         *       "to_block": 11,
         *       "state": "gap",
         *       "reason": "node_pruned"
         *     }
         */
        CoverageRange: {
            from_block: number;
            to_block: number;
            /** @enum {string} */
            state: "covered" | "gap";
            /** @description Why blocks are missing: not_started, node_pruned, timeout, rpc_error, unsupported, next_snapshot (of balances: the next snapshot has them); null where covered. */
            reason: string | null;
        };
        /**
         * @description A transaction with its receipt.
         * @example {
         *       "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "block_number": 699,
         *       "block_hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
         *       "transaction_index": 2,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "type": 2,
         *       "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
         *       "contract_address": null,
         *       "nonce": 195,
         *       "value": "0",
         *       "gas": 700000,
         *       "gas_price": "19998000000",
         *       "effective_gas_price": "19998000000",
         *       "max_fee_per_gas": "19998000000",
         *       "max_priority_fee_per_gas": "19998000000",
         *       "gas_used": 100391,
         *       "gas_used_for_l1": null,
         *       "l1_block_number": null,
         *       "cumulative_gas_used": 199449,
         *       "status": 1,
         *       "fee": "2007619218000000",
         *       "method_id": "0xc3052f40",
         *       "input_size": 100,
         *       "log_count": 3,
         *       "request_id": null
         *     }
         */
        Transaction: {
            hash: components["schemas"]["Hash"];
            block_number: number;
            block_hash: components["schemas"]["Hash"];
            transaction_index: number;
            timestamp: components["schemas"]["Timestamp"];
            /** @description Transaction type; 100 to 106 are those of Arbitrum chains. */
            type: number;
            from: components["schemas"]["Address"];
            /** @description Null for the creation of a contract. */
            to: components["schemas"]["Address"] | null;
            /** @description The contract that was created. */
            contract_address: components["schemas"]["Address"] | null;
            nonce: number;
            /** @description In wei. */
            value: components["schemas"]["Decimal"];
            /** @description Gas limit. */
            gas: number;
            gas_price: components["schemas"]["Decimal"] | null;
            effective_gas_price: components["schemas"]["Decimal"] | null;
            max_fee_per_gas: components["schemas"]["Decimal"] | null;
            max_priority_fee_per_gas: components["schemas"]["Decimal"] | null;
            gas_used: number;
            /** @description Part of gas_used that paid for the parent chain; null on chains that do not tell. */
            gas_used_for_l1: number | null;
            l1_block_number: number | null;
            cumulative_gas_used: number;
            /**
             * @description 1: succeeded, 0: reverted; null where the chain does not say.
             * @enum {integer|null}
             */
            status: 0 | 1 | null;
            /** @description gas_used times effective_gas_price, in wei. */
            fee: components["schemas"]["Decimal"] | null;
            /** @description First four bytes of the input. */
            method_id: components["schemas"]["Hex"] | null;
            /** @description Bytes of the input. */
            input_size: number;
            log_count: number;
            /** @description Request id of an Arbitrum retryable. */
            request_id: components["schemas"]["Hash"] | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A log.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "log_index": 2,
         *       "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "topics": [
         *         "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
         *         "0x00000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
         *         "0x00000000000000000000000014dc79964da2c08b23698b3d3cc7ca32193d9955"
         *       ],
         *       "data": "0x0000000000000000000000000000000000000000000000003e72ec7265e4f0fb",
         *       "data_size": 32,
         *       "data_truncated": false
         *     }
         */
        Log: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            address: components["schemas"]["Address"];
            topics: components["schemas"]["Hash"][];
            /** @description The first 16 KiB of long data. */
            data: components["schemas"]["Hex"];
            /** @description Bytes of the whole data. */
            data_size: number;
            data_truncated: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A transaction with its receipt and its input.
         * @example {
         *       "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "block_number": 699,
         *       "block_hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
         *       "transaction_index": 2,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "type": 2,
         *       "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
         *       "contract_address": null,
         *       "nonce": 195,
         *       "value": "0",
         *       "gas": 700000,
         *       "gas_price": "19998000000",
         *       "effective_gas_price": "19998000000",
         *       "max_fee_per_gas": "19998000000",
         *       "max_priority_fee_per_gas": "19998000000",
         *       "gas_used": 100391,
         *       "gas_used_for_l1": null,
         *       "l1_block_number": null,
         *       "cumulative_gas_used": 199449,
         *       "status": 1,
         *       "fee": "2007619218000000",
         *       "method_id": "0xc3052f40",
         *       "input_size": 100,
         *       "log_count": 3,
         *       "request_id": null,
         *       "input": "0xc3052f4000000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000003239d9faa",
         *       "input_truncated": false,
         *       "extra": {}
         *     }
         */
        TransactionDetail: {
            hash: components["schemas"]["Hash"];
            block_number: number;
            block_hash: components["schemas"]["Hash"];
            transaction_index: number;
            timestamp: components["schemas"]["Timestamp"];
            /** @description Transaction type; 100 to 106 are those of Arbitrum chains. */
            type: number;
            from: components["schemas"]["Address"];
            /** @description Null for the creation of a contract. */
            to: components["schemas"]["Address"] | null;
            /** @description The contract that was created. */
            contract_address: components["schemas"]["Address"] | null;
            nonce: number;
            /** @description In wei. */
            value: components["schemas"]["Decimal"];
            /** @description Gas limit. */
            gas: number;
            gas_price: components["schemas"]["Decimal"] | null;
            effective_gas_price: components["schemas"]["Decimal"] | null;
            max_fee_per_gas: components["schemas"]["Decimal"] | null;
            max_priority_fee_per_gas: components["schemas"]["Decimal"] | null;
            gas_used: number;
            /** @description Part of gas_used that paid for the parent chain; null on chains that do not tell. */
            gas_used_for_l1: number | null;
            l1_block_number: number | null;
            cumulative_gas_used: number;
            /**
             * @description 1: succeeded, 0: reverted; null where the chain does not say.
             * @enum {integer|null}
             */
            status: 0 | 1 | null;
            /** @description gas_used times effective_gas_price, in wei. */
            fee: components["schemas"]["Decimal"] | null;
            /** @description First four bytes of the input. */
            method_id: components["schemas"]["Hex"] | null;
            /** @description Bytes of the input. */
            input_size: number;
            log_count: number;
            /** @description Request id of an Arbitrum retryable. */
            request_id: components["schemas"]["Hash"] | null;
            /** @description The first 16 KiB of a long input. */
            input: components["schemas"]["Hex"];
            input_truncated: boolean;
            /** @description Further fields of the node. */
            extra: Record<string, never>;
            /** @description With include_logs=true: the first 500 logs, or fewer if they are long. */
            logs?: components["schemas"]["Log"][];
            /** @description With include_logs=true: whether the transaction has more logs than these; all are at `/transactions/{hash}/logs`. */
            logs_truncated?: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A transfer of tokens that an event announces.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "log_index": 2,
         *       "batch_index": 0,
         *       "standard": "erc20",
         *       "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "token_id": null,
         *       "from": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
         *       "to": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "amount": "4499918953776476411",
         *       "kind": "transfer",
         *       "ui_amount": null,
         *       "ui_multiplier": null
         *     }
         */
        Transfer: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description Place in an ERC-1155 batch, else 0. */
            batch_index: number;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            token: components["schemas"]["Address"];
            /** @description Null for ERC-20. */
            token_id: components["schemas"]["Decimal"] | null;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description Raw amount as the event says; 1 for ERC-721. */
            amount: components["schemas"]["Decimal"];
            /** @enum {string} */
            kind: "transfer" | "mint" | "burn" | "wrap" | "unwrap";
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: components["schemas"]["Decimal"] | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: components["schemas"]["Decimal"] | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A transfer, seen from an address.
         * @example {
         *       "block_number": 701,
         *       "timestamp": "2026-11-19T14:03:09Z",
         *       "transaction_hash": "0x48f26a95244a960ba787809c30c1f9f4b846ae22e22fc36c1b60c2ccbd99c44b",
         *       "transaction_index": 0,
         *       "log_index": 0,
         *       "batch_index": 0,
         *       "standard": "erc20",
         *       "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
         *       "token_id": null,
         *       "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "to": "0x9543c5c3ca9c890ee7226cb9d7adf50abfef4937",
         *       "amount": "50703550583346948697",
         *       "kind": "transfer",
         *       "ui_amount": "51124390053188728371",
         *       "ui_multiplier": "1008300000000000000",
         *       "direction": "out"
         *     }
         */
        AddressTransfer: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description Place in an ERC-1155 batch, else 0. */
            batch_index: number;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            token: components["schemas"]["Address"];
            /** @description Null for ERC-20. */
            token_id: components["schemas"]["Decimal"] | null;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description Raw amount as the event says; 1 for ERC-721. */
            amount: components["schemas"]["Decimal"];
            /** @enum {string} */
            kind: "transfer" | "mint" | "burn" | "wrap" | "unwrap";
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: components["schemas"]["Decimal"] | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: components["schemas"]["Decimal"] | null;
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A token.
         * @example {
         *       "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "standard": "erc20",
         *       "name": "Demo Dollar",
         *       "symbol": "dUSD",
         *       "decimals": 6,
         *       "total_supply": "49360658000000",
         *       "holder_count": 38,
         *       "transfer_count": 740,
         *       "first_seen_block": 7,
         *       "balance_model": "standard",
         *       "is_proxy": false,
         *       "metadata_status": "complete",
         *       "is_stock": false
         *     }
         */
        Token: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            name: string | null;
            symbol: string | null;
            decimals: number | null;
            /** @description As of a finalized block: read with each balances snapshot after the token has moved. Before the first, as of when the token was found. */
            total_supply: components["schemas"]["Decimal"] | null;
            /** @description As of the newest balances snapshot; null where that has none: of NFTs, and of tokens that are younger. */
            holder_count: number | null;
            /** @description Up to `finalized_block`. */
            transfer_count: number;
            first_seen_block: number;
            /**
             * @description How balances behave: any but `standard` is read from the chain alone.
             * @enum {string}
             */
            balance_model: "standard" | "rebasing" | "fee_on_transfer" | "non_standard";
            is_proxy: boolean;
            /** @enum {string} */
            metadata_status: "pending" | "complete" | "partial" | "absent";
            is_stock: boolean;
        };
        /**
         * @description A token of a batch.
         * @example {
         *       "address": "0x00000000000000000000000000000000000000ff",
         *       "error": "not_found",
         *       "token": null
         *     }
         */
        BatchedToken: {
            /** @description As it was asked for, in lower case. */
            address: components["schemas"]["Address"];
            /**
             * @description Null if it was found.
             * @enum {string|null}
             */
            error: "not_found" | null;
            /** @description Null if it was not found. */
            token: components["schemas"]["Token"] | null;
        };
        /**
         * @description A transaction of a batch.
         * @example {
         *       "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "error": "finality_exceeded",
         *       "transaction": null
         *     }
         */
        BatchedTransaction: {
            /** @description As it was asked for, in lower case. */
            hash: components["schemas"]["Hash"];
            /**
             * @description Null if it was found.
             * @enum {string|null}
             */
            error: "not_found" | "finality_exceeded" | null;
            /** @description Null if it was not found. */
            transaction: components["schemas"]["Transaction"] | null;
        };
        /**
         * @description A price of a batch.
         * @example {
         *       "token": "0x00000000000000000000000000000000000000ff",
         *       "error": "not_found",
         *       "price": null
         *     }
         */
        BatchedPrice: {
            /** @description As it was asked for, in lower case. */
            token: components["schemas"]["Address"];
            /**
             * @description Null if it was found.
             * @enum {string|null}
             */
            error: "not_found" | null;
            /** @description Null if it was not found. */
            price: components["schemas"]["Price"] | null;
        };
        /**
         * @description A balance.
         * @example {
         *       "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "balance": "908318160581",
         *       "symbol": "dUSD",
         *       "decimals": 6
         *     }
         */
        Balance: {
            /** @description Token contract address, lowercase hex. */
            token: components["schemas"]["Address"];
            /** @description Raw amount; only non-zero balances are listed. */
            balance: components["schemas"]["Decimal"];
            /**
             * @description Token symbol, as the token says it; empty if it says none.
             * @default
             */
            symbol: string & (unknown | "");
            /**
             * @description Token decimals, as the token says them; -1, which is no scale, if it says none: the balance is of raw units then.
             * @default -1
             */
            decimals: number & (unknown | -1);
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
        };
        /**
         * @description A balance at a snapshot; snapshots at which it did not change are left out.
         * @example {
         *       "block_number": 704,
         *       "timestamp": "2026-11-19T15:14:52Z",
         *       "balance": "908318160581",
         *       "method": "ledger",
         *       "confidence": "verified"
         *     }
         */
        BalancePoint: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            balance: components["schemas"]["Decimal"];
            /** @enum {string} */
            method: "ledger" | "balance_of";
            /** @enum {string} */
            confidence: "verified" | "unverified" | "rebasing";
        };
        /**
         * @description A holder of a token.
         * @example {
         *       "holder": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
         *       "balance": "29901874302321",
         *       "share_bps": 6057,
         *       "method": "ledger",
         *       "confidence": "verified",
         *       "block_number": 704,
         *       "ui_amount": null,
         *       "ui_multiplier": null
         *     }
         */
        Holder: {
            holder: components["schemas"]["Address"];
            balance: components["schemas"]["Decimal"];
            /** @description Share of the total supply, in basis points, rounded down; null if the supply is not known, or below the balance. */
            share_bps: number | null;
            /** @enum {string} */
            method: "ledger" | "balance_of";
            /** @enum {string} */
            confidence: "verified" | "unverified" | "rebasing";
            block_number: number;
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: components["schemas"]["Decimal"] | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: components["schemas"]["Decimal"] | null;
        };
        /**
         * @description NFTs of an owner.
         * @example {
         *       "token": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
         *       "token_id": "72",
         *       "standard": "erc721",
         *       "amount": "1",
         *       "name": "Demo Deeds",
         *       "symbol": "DEED",
         *       "token_uri": null,
         *       "acquired_block": 730,
         *       "acquired_at": "2026-11-19T17:43:20Z"
         *     }
         */
        NftHolding: {
            token: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            amount: components["schemas"]["Decimal"];
            name: string | null;
            symbol: string | null;
            /** @description What the contract announced (ERC-1155), else what it answered to `tokenURI` or `uri` when it was asked, once, soon after the item was first seen. Null until then, and where it says nothing or more than 8 KiB. */
            token_uri: string | null;
            acquired_block: number;
            acquired_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description A collection.
         * @example {
         *       "address": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
         *       "standard": "erc721",
         *       "name": "Demo Deeds",
         *       "symbol": "DEED",
         *       "transfer_count": 279,
         *       "first_seen_block": 22
         *     }
         */
        NftCollection: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            name: string | null;
            symbol: string | null;
            transfer_count: number;
            first_seen_block: number;
        };
        /**
         * @description An item of a collection.
         * @example {
         *       "token": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
         *       "token_id": "21",
         *       "token_uri": null,
         *       "first_seen_block": 193,
         *       "updated_block": 193
         *     }
         */
        NftItem: {
            token: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @description What the contract announced (ERC-1155), else what it answered to `tokenURI` or `uri` when it was asked, once, soon after the item was first seen. Null until then, and where it says nothing or more than 8 KiB. */
            token_uri: string | null;
            first_seen_block: number;
            updated_block: number;
        };
        /**
         * @description An owner of an item.
         * @example {
         *       "owner": "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
         *       "token_id": "21",
         *       "standard": "erc721",
         *       "amount": "1",
         *       "acquired_block": 901,
         *       "acquired_at": "2026-11-21T01:59:59Z"
         *     }
         */
        NftOwner: {
            owner: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            amount: components["schemas"]["Decimal"];
            acquired_block: number;
            acquired_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description A pool.
         * @example {
         *       "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
         *       "protocol": "uniswap_v3",
         *       "factory": "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
         *       "verified": true,
         *       "token0": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "token1": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "fee_pips": 500,
         *       "dynamic_fee": false,
         *       "tick_spacing": 10,
         *       "hooks": null,
         *       "created_block": 10,
         *       "created_at": "2026-11-15T08:45:12Z",
         *       "reserve0": null,
         *       "reserve1": null,
         *       "sqrt_price_x96": "1412889243349610908076235274472904",
         *       "tick": 195786,
         *       "liquidity": "56981758970673934",
         *       "liquidity_usd": "6253884.49003044382676855370866",
         *       "updated_block": 952
         *     }
         */
        Pool: {
            pool_id: components["schemas"]["PoolId"];
            protocol: string;
            factory: components["schemas"]["Address"];
            /** @description Whether the gateway knows its factory. Anybody can announce a pool: one that is not verified is what its factory says of it, and prices nothing. */
            verified: boolean;
            token0: components["schemas"]["Address"];
            token1: components["schemas"]["Address"];
            fee_pips: number | null;
            dynamic_fee: boolean;
            tick_spacing: number | null;
            hooks: components["schemas"]["Address"] | null;
            created_block: number;
            created_at: components["schemas"]["Timestamp"];
            reserve0: components["schemas"]["Decimal"] | null;
            reserve1: components["schemas"]["Decimal"] | null;
            sqrt_price_x96: components["schemas"]["Decimal"] | null;
            tick: number | null;
            liquidity: components["schemas"]["Decimal"] | null;
            /** @description Null where nothing quotes the pair. */
            liquidity_usd: components["schemas"]["Fraction"] | null;
            updated_block: number;
            /** @description Null if the token says none; only with `include=token`. */
            token0_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token0_decimals?: number | null;
            /** @description Null if the token says none; only with `include=token`. */
            token1_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token1_decimals?: number | null;
        };
        /**
         * @description A swap in a pool.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "log_index": 4,
         *       "protocol": "uniswap_v3",
         *       "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
         *       "token_in": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "token_out": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
         *       "amount_in": "13482434474",
         *       "amount_out": "4499918953776476411",
         *       "amount_usd": "13482.434474",
         *       "usd_method": "stable",
         *       "sender": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
         *       "recipient": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "trader": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "trader_kind": "tx_from",
         *       "fee_pips": 500,
         *       "sqrt_price_x96": "1444619573700182669184250510158394",
         *       "tick": 196230,
         *       "liquidity": "56117111135041346"
         *     }
         */
        Trade: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description uniswap_v2, uniswap_v3, uniswap_v4, ... */
            protocol: string;
            pool_id: components["schemas"]["PoolId"];
            token_in: components["schemas"]["Address"];
            token_out: components["schemas"]["Address"];
            amount_in: components["schemas"]["Decimal"];
            amount_out: components["schemas"]["Decimal"];
            /** @description Null where nothing quotes the pair; never 0 for that. */
            amount_usd: components["schemas"]["Fraction"] | null;
            usd_method: string | null;
            sender: components["schemas"]["Address"];
            recipient: components["schemas"]["Address"] | null;
            /** @description Account that sent the transaction, or the sender of the user operation. */
            trader: components["schemas"]["Address"];
            /** @enum {string} */
            trader_kind: "tx_from" | "userop_sender";
            /** @description Hundredths of a basis point. */
            fee_pips: number | null;
            sqrt_price_x96: components["schemas"]["Decimal"] | null;
            tick: number | null;
            liquidity: components["schemas"]["Decimal"] | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_in_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_in_decimals?: number | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_out_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_out_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A change of liquidity.
         * @example {
         *       "block_number": 697,
         *       "timestamp": "2026-11-19T13:55:20Z",
         *       "transaction_hash": "0x882d6f850127442c35cb57e11a042792e00c033a37cbf070e16b7feeddbbf1fa",
         *       "transaction_index": 3,
         *       "log_index": 4,
         *       "protocol": "uniswap_v3",
         *       "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
         *       "kind": "mint",
         *       "owner": "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
         *       "tick_lower": 184260,
         *       "tick_upper": 208260,
         *       "liquidity_delta": "367944499792641",
         *       "amount0": "9171014142",
         *       "amount1": "3004781554853584677",
         *       "sqrt_price_x96": null
         *     }
         */
        LiquidityEvent: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            protocol: string;
            pool_id: components["schemas"]["PoolId"];
            /** @enum {string} */
            kind: "initialize" | "sync" | "mint" | "burn" | "collect" | "modify" | "donate";
            owner: components["schemas"]["Address"] | null;
            tick_lower: number | null;
            tick_upper: number | null;
            liquidity_delta: components["schemas"]["SignedDecimal"] | null;
            amount0: components["schemas"]["SignedDecimal"] | null;
            amount1: components["schemas"]["SignedDecimal"] | null;
            sqrt_price_x96: components["schemas"]["Decimal"] | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A candle. The four prices are null only of a pool of which one token says no decimals.
         * @example {
         *       "start": "2026-11-21T08:00:00Z",
         *       "open": "1",
         *       "high": "1",
         *       "low": "1",
         *       "close": "1",
         *       "volume_base": "144741463075",
         *       "volume_quote": null,
         *       "volume_usd": "144741.463075",
         *       "trades": 13,
         *       "first_block": 940,
         *       "last_block": 960,
         *       "complete": false
         *     }
         */
        Candle: {
            start: components["schemas"]["Timestamp"];
            open: components["schemas"]["Fraction"] | null;
            high: components["schemas"]["Fraction"] | null;
            low: components["schemas"]["Fraction"] | null;
            close: components["schemas"]["Fraction"] | null;
            volume_base: components["schemas"]["Decimal"];
            volume_quote: components["schemas"]["Decimal"] | null;
            volume_usd: components["schemas"]["Fraction"] | null;
            trades: number;
            first_block: number;
            last_block: number;
            /** @description Whether the finalized block is past its end and all of it is derived. */
            complete: boolean;
        };
        /**
         * @description The price of 10^decimals raw units of a token.
         * @example {
         *       "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "price_usd": "1",
         *       "method": "peg",
         *       "block_number": 9,
         *       "timestamp": "2026-11-15T08:45:10Z",
         *       "pool_id": null,
         *       "liquidity_usd": null,
         *       "sample_trades": 0
         *     }
         */
        Price: {
            token: components["schemas"]["Address"];
            price_usd: components["schemas"]["Fraction"];
            method: string;
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            pool_id: components["schemas"]["PoolId"] | null;
            liquidity_usd: components["schemas"]["Fraction"] | null;
            sample_trades: number;
        };
        /**
         * @description Figures of a tokenised stock for one day.
         * @example {
         *       "day": "2026-11-21",
         *       "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
         *       "address": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
         *       "symbol": "BRCH",
         *       "name": "Birch Energy",
         *       "transfers": 22,
         *       "transfers_raw_amount": "1335038488116914305300",
         *       "transfers_ui_amount": "1346119307568284694022",
         *       "unique_senders": 7,
         *       "unique_receivers": 11,
         *       "mint_raw_amount": "25028000000000000000",
         *       "burn_raw_amount": "19120856677120418839",
         *       "net_supply_change": "5907143322879581161",
         *       "holder_count": 33,
         *       "top10_holder_share_bps": 9565,
         *       "dex_swap_count": 12,
         *       "dex_raw_volume": "1094136632889165215340",
         *       "dex_vwap_usd": "96.069224375972257385",
         *       "ui_multiplier": "1008300000000000000",
         *       "oracle_price_usd": null,
         *       "premium_bps": null,
         *       "first_block": 893,
         *       "last_block": 960,
         *       "refreshed_at": "2026-11-21T08:34:11.338Z"
         *     }
         */
        StockDay: {
            /**
             * Format: date
             * @description UTC day.
             */
            day: string;
            token: components["schemas"]["Address"];
            /** @description The same as `token`. */
            address: components["schemas"]["Address"];
            symbol: string | null;
            name: string | null;
            transfers: number;
            transfers_raw_amount: components["schemas"]["Decimal"];
            /** @description Each amount with the multiplier in force at its time. */
            transfers_ui_amount: components["schemas"]["Decimal"];
            unique_senders: number;
            unique_receivers: number;
            mint_raw_amount: components["schemas"]["Decimal"];
            burn_raw_amount: components["schemas"]["Decimal"];
            net_supply_change: components["schemas"]["SignedDecimal"];
            holder_count: number | null;
            /** @description Share of the ten largest holders, in basis points. */
            top10_holder_share_bps: number | null;
            dex_swap_count: number;
            dex_raw_volume: components["schemas"]["Decimal"];
            dex_vwap_usd: components["schemas"]["Fraction"] | null;
            /** @description At the end of the day, 18 decimals; this and the following are null on a day without figures. */
            ui_multiplier: components["schemas"]["Decimal"] | null;
            oracle_price_usd: components["schemas"]["Fraction"] | null;
            /** @description DEX price above the oracle price, in basis points. */
            premium_bps: number | null;
            first_block: number | null;
            last_block: number | null;
            refreshed_at: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description A tokenised stock (ERC-8056).
         * @example {
         *       "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
         *       "address": "0x8daf17a20c9dba35f005b6324f493785d239719d",
         *       "issuer": "Demo Securities",
         *       "symbol": "ACRN",
         *       "name": "Acorn Industries",
         *       "uid": "0x64656d6f3a4143524e0000000000000000000000000000000000000000000000",
         *       "decimals": 18,
         *       "ui_multiplier": "4000000000000000000",
         *       "new_ui_multiplier": "2000000000000000000",
         *       "effective_at": "2026-11-24T08:34:00Z",
         *       "oracle_paused": false,
         *       "price_feed": null,
         *       "total_supply": "136182243963713200723683",
         *       "total_supply_ui": "544728975854852802894732",
         *       "holder_count": 33,
         *       "registered_block": 7,
         *       "daily": [
         *         {
         *           "day": "2026-11-21",
         *           "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
         *           "address": "0x8daf17a20c9dba35f005b6324f493785d239719d",
         *           "symbol": "ACRN",
         *           "name": "Acorn Industries",
         *           "transfers": 6,
         *           "transfers_raw_amount": "179977001107320669247",
         *           "transfers_ui_amount": "719908004429282676988",
         *           "unique_senders": 3,
         *           "unique_receivers": 5,
         *           "mint_raw_amount": "0",
         *           "burn_raw_amount": "6999796566962963792",
         *           "net_supply_change": "-6999796566962963792",
         *           "holder_count": 35,
         *           "top10_holder_share_bps": 9587,
         *           "dex_swap_count": 2,
         *           "dex_raw_volume": "151426761931525065984",
         *           "dex_vwap_usd": "174.05089453024244",
         *           "ui_multiplier": "4000000000000000000",
         *           "oracle_price_usd": null,
         *           "premium_bps": null,
         *           "first_block": 898,
         *           "last_block": 945,
         *           "refreshed_at": "2026-11-21T08:34:11.338Z"
         *         }
         *       ]
         *     }
         */
        Stock: {
            token: components["schemas"]["Address"];
            /** @description The same as `token`. */
            address: components["schemas"]["Address"];
            issuer: string;
            symbol: string | null;
            name: string | null;
            uid: components["schemas"]["Hash"] | null;
            decimals: number | null;
            /** @description In force at the indexed head, 18 decimals. */
            ui_multiplier: components["schemas"]["Decimal"];
            /** @description Announced and not in force yet. */
            new_ui_multiplier: components["schemas"]["Decimal"] | null;
            /** @description When the announced one takes effect. */
            effective_at: components["schemas"]["Timestamp"] | null;
            /** @description As of the newest balances snapshot. */
            oracle_paused: boolean | null;
            price_feed: components["schemas"]["Address"] | null;
            /** @description As of a finalized block: read with each balances snapshot after the token has moved. Before the first, as of when the token was found. */
            total_supply: components["schemas"]["Decimal"] | null;
            total_supply_ui: components["schemas"]["Decimal"] | null;
            /** @description As of the newest balances snapshot; null if the stock is younger. */
            holder_count: number | null;
            registered_block: number;
            /** @description The newest 30 days. */
            daily: components["schemas"]["StockDay"][];
        };
        /**
         * @description An announced change of a multiplier. It takes effect at its time, with no event then.
         * @example {
         *       "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
         *       "block_number": 618,
         *       "log_index": 0,
         *       "transaction_hash": "0xae4c9461c5a60419606a754bf6aecb2b9325feed928d13ac8115a6a246611995",
         *       "timestamp": "2026-11-19T06:38:10Z",
         *       "old_multiplier": "4000000000000000000",
         *       "new_multiplier": "2000000000000000000",
         *       "set_at": "2026-11-19T06:38:10Z",
         *       "effective_at": "2026-11-24T08:34:00Z",
         *       "status": "pending"
         *     }
         */
        Multiplier: {
            token: components["schemas"]["Address"];
            block_number: number;
            log_index: number;
            transaction_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["Timestamp"];
            old_multiplier: components["schemas"]["Decimal"];
            new_multiplier: components["schemas"]["Decimal"];
            set_at: components["schemas"]["Timestamp"];
            effective_at: components["schemas"]["Timestamp"];
            /**
             * @description At the time of the indexed head.
             * @enum {string}
             */
            status: "pending" | "effective" | "superseded";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description A balance of a tokenised stock.
         * @example {
         *       "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
         *       "symbol": "BRCH",
         *       "name": "Birch Energy",
         *       "issuer": "Demo Securities",
         *       "decimals": 18,
         *       "balance": "3733143507875380566065",
         *       "ui_balance": "3764128598990746224763",
         *       "ui_multiplier": "1008300000000000000",
         *       "price_usd": "41.2",
         *       "value_usd": "153805.512692",
         *       "price_block_number": 698,
         *       "block_number": 704
         *     }
         */
        StockHolding: {
            token: components["schemas"]["Address"];
            symbol: string | null;
            name: string | null;
            issuer: string;
            decimals: number | null;
            balance: components["schemas"]["Decimal"];
            /** @description In shares, with the multiplier in force at the snapshot. */
            ui_balance: components["schemas"]["Decimal"];
            ui_multiplier: components["schemas"]["Decimal"];
            /** @description Last price of a whole token up to the block of the snapshot; null if none is known. */
            price_usd: components["schemas"]["Fraction"] | null;
            /** @description Value of the balance at that price, to six decimals; null without a price, or where the token says no decimals. */
            value_usd: components["schemas"]["Fraction"] | null;
            /** @description Block that the price is of. */
            price_block_number: number | null;
            block_number: number;
        };
        /**
         * @description A call within a transaction.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "trace_index": 0,
         *       "trace_address": [],
         *       "depth": 0,
         *       "type": "CALL",
         *       "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
         *       "value": "0",
         *       "gas": 700000,
         *       "gas_used": 100391,
         *       "method_id": "0xc3052f40",
         *       "input": "0xc3052f4000000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000003239d9faa",
         *       "input_size": 100,
         *       "input_truncated": false,
         *       "output": "0x",
         *       "output_size": 0,
         *       "output_truncated": false,
         *       "error": null,
         *       "revert_reason": null,
         *       "subcalls": 1,
         *       "reverted_by_parent": false
         *     }
         */
        Trace: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            /** @description Place in the transaction, depth first; 0 is its own call. */
            trace_index: number;
            trace_address: number[];
            depth: number;
            type: string;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"] | null;
            value: components["schemas"]["Decimal"];
            gas: number;
            gas_used: number;
            method_id: components["schemas"]["Hex"] | null;
            /** @description The first 2 KiB of a long input. */
            input: components["schemas"]["Hex"];
            input_size: number;
            input_truncated: boolean;
            output: components["schemas"]["Hex"];
            output_size: number;
            output_truncated: boolean;
            error: string | null;
            revert_reason: string | null;
            subcalls: number;
            reverted_by_parent: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description An hour in UTC, such as `2026-11-20T23`. */
        UtcHour: string;
        /**
         * @description What an account used in an hour.
         * @example {
         *       "hour": "2026-11-20T23",
         *       "settled": false,
         *       "cu": 51,
         *       "usage": [
         *         {
         *           "chain": "example_mainnet",
         *           "method": "eth_getLogs",
         *           "calls": 2,
         *           "cu": 51,
         *           "cached": 1,
         *           "errors": 0
         *         }
         *       ]
         *     }
         */
        AccountHour: {
            hour: components["schemas"]["UtcHour"];
            /** @description Whether the hour is settled. What arrives late is settled by a further revision, and then shows here. */
            settled: boolean;
            /** @description Compute units of all methods. */
            cu: number;
            /** @description By chain and method. */
            usage: components["schemas"]["MethodUsage"][];
        };
        /**
         * @description What was used of a chain and method.
         * @example {
         *       "chain": "example_mainnet",
         *       "method": "eth_getLogs",
         *       "calls": 2,
         *       "cu": 51,
         *       "cached": 1,
         *       "errors": 0
         *     }
         */
        MethodUsage: {
            /** @description `*`: what belongs to no chain, or to several. */
            chain: string;
            /** @description Method of JSON-RPC, or `data/` and an operation of the Data API. `other`: names that are none; `*`: the least used of very many, summed. */
            method: string;
            /** @description Calls that were billed, those below included. */
            calls: number;
            /** @description Compute units that they were billed. */
            cu: number;
            /** @description Calls that were answered from the cache. */
            cached: number;
            /** @description Calls that the node answered with an error. */
            errors: number;
        };
        /**
         * @description What one settlement moved.
         * @example {
         *       "hour": "2026-11-20T22",
         *       "revision": 1,
         *       "settled_cu": 998740,
         *       "total_cu": 998740,
         *       "billing_units": 998,
         *       "remainder_cu": 740,
         *       "settled_at": "2026-11-20T23:10:02.113Z"
         *     }
         */
        Settlement: {
            hour: components["schemas"]["UtcHour"];
            /** @description Counts the settlements of the hour; those after the first are of usage that arrived late. */
            revision: number;
            /** @description Compute units that this one moved. */
            settled_cu: number;
            /** @description Compute units of the hour, this one included. */
            total_cu: number;
            /** @description Billing units that this one added. */
            billing_units: number;
            /** @description What is left of the total below a whole billing unit. It is not carried into another hour. */
            remainder_cu: number;
            settled_at: components["schemas"]["Timestamp"];
        };
        /**
         * @description What a transaction gave in the native token.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "kind": "call",
         *       "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "value": "1000000000000000000",
         *       "direction": "in"
         *     }
         */
        NativeTransfer: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            transaction_index: number;
            /**
             * @description Whether the transaction called `to`, or made it.
             * @enum {string}
             */
            kind: "call" | "create";
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description In the smallest unit of the native token; more than 0. */
            value: components["schemas"]["Decimal"];
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description What a call within a transaction gave in the native token.
         * @example {
         *       "block_number": 699,
         *       "timestamp": "2026-11-19T13:55:54Z",
         *       "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
         *       "transaction_index": 2,
         *       "trace_index": 3,
         *       "trace_address": [
         *         0,
         *         1
         *       ],
         *       "type": "CALL",
         *       "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
         *       "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
         *       "value": "1000000000000000000",
         *       "direction": "in"
         *     }
         */
        InternalTransfer: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            transaction_index: number;
            /** @description Place in the transaction, depth first; its own call, which is no internal transfer, has 0. */
            trace_index: number;
            /** @description Places of the calls that lead to this one. */
            trace_address: number[];
            /** @description `CALL`, `CREATE`, `CREATE2`, `SELFDESTRUCT`, as the node names it. */
            type: string;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description In the smallest unit of the native token; more than 0. */
            value: components["schemas"]["Decimal"];
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /**
         * @description What an address is and has done, up to `finalized_block`. A transfer to itself is both sent and received.
         * @example {
         *       "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "first_seen": {
         *         "block_number": 12,
         *         "timestamp": "2026-11-18T09:12:04Z"
         *       },
         *       "last_seen": {
         *         "block_number": 704,
         *         "timestamp": "2026-11-19T14:02:31Z"
         *       },
         *       "transactions_sent": {
         *         "count": 0,
         *         "exact": true
         *       },
         *       "transactions_received": {
         *         "count": 1000,
         *         "exact": false
         *       },
         *       "erc20_transfers_sent": {
         *         "count": 0,
         *         "exact": true
         *       },
         *       "erc20_transfers_received": {
         *         "count": 3,
         *         "exact": true
         *       },
         *       "nft_transfers_sent": {
         *         "count": 0,
         *         "exact": true
         *       },
         *       "nft_transfers_received": {
         *         "count": 0,
         *         "exact": true
         *       },
         *       "coverage": {
         *         "transactions": "full",
         *         "erc20_transfers": "full",
         *         "nft_transfers": "full"
         *       },
         *       "label": {
         *         "kind": "token",
         *         "name": "Demo Dollar",
         *         "symbol": "dUSD",
         *         "standard": "erc20",
         *         "protocol": null
         *       },
         *       "native_balance": "0",
         *       "has_code": true
         *     }
         */
        AddressOverview: {
            address: components["schemas"]["Address"];
            /** @description First transaction or token transfer that names it, its creation included; null if none is indexed. Earlier ones may be missing where `coverage` is not `full`. */
            first_seen: components["schemas"]["BlockTime"] | null;
            /** @description The last one; null if none is indexed. */
            last_seen: components["schemas"]["BlockTime"] | null;
            transactions_sent: components["schemas"]["ActivityCount"];
            transactions_received: components["schemas"]["ActivityCount"];
            erc20_transfers_sent: components["schemas"]["ActivityCount"];
            erc20_transfers_received: components["schemas"]["ActivityCount"];
            nft_transfers_sent: components["schemas"]["ActivityCount"];
            nft_transfers_received: components["schemas"]["ActivityCount"];
            coverage: components["schemas"]["AddressCoverage"];
            /** @description What it is known as; null if it is no token, collection, stock or pool that was seen. */
            label: components["schemas"]["AddressLabel"] | null;
            /** @description In the smallest unit of the native token, at `finalized_block`; null where no node tells. */
            native_balance: components["schemas"]["Decimal"] | null;
            /** @description Whether it has code at `finalized_block`; null where no node tells. */
            has_code: boolean | null;
        };
        /**
         * @description A block and its time.
         * @example {
         *       "block_number": 12,
         *       "timestamp": "2026-11-18T09:12:04Z"
         *     }
         */
        BlockTime: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
        };
        /**
         * @description How many there are, as far as they are counted.
         * @example {
         *       "count": 3,
         *       "exact": true
         *     }
         */
        ActivityCount: {
            /** @description Null where no block is covered. */
            count: number | null;
            /** @description Whether these are all: there are no more than 1,000, and no block is missing. */
            exact: boolean;
        };
        /**
         * @description How much of the blocks up to `finalized_block` is there, of each data set that an overview is made of.
         * @example {
         *       "transactions": "full",
         *       "erc20_transfers": "full",
         *       "nft_transfers": "full"
         *     }
         */
        AddressCoverage: {
            /** @enum {string} */
            transactions: "full" | "partial" | "none";
            /** @enum {string} */
            erc20_transfers: "full" | "partial" | "none";
            /** @enum {string} */
            nft_transfers: "full" | "partial" | "none";
        };
        /**
         * @description What an address is known as.
         * @example {
         *       "kind": "token",
         *       "name": "Demo Dollar",
         *       "symbol": "dUSD",
         *       "standard": "erc20",
         *       "protocol": null
         *     }
         */
        AddressLabel: {
            /** @enum {string} */
            kind: "pool" | "stock" | "token" | "collection";
            /** @description As the contract says it. */
            name: string | null;
            /** @description As the contract says it. */
            symbol: string | null;
            /**
             * @description Null if no transfer of it was seen.
             * @enum {string|null}
             */
            standard: "erc20" | "erc721" | "erc1155" | null;
            /** @description Of a pool. */
            protocol: string | null;
        };
        /**
         * @description A balance with its value.
         * @example {
         *       "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
         *       "symbol": "dUSD",
         *       "decimals": 6,
         *       "balance": "908318160581",
         *       "price_usd": "1",
         *       "value_usd": "908318.160581",
         *       "price_block_number": 701,
         *       "block_number": 704
         *     }
         */
        BalanceValue: {
            token: components["schemas"]["Address"];
            symbol: string | null;
            decimals: number | null;
            /** @description Raw amount; only non-zero balances are listed. */
            balance: components["schemas"]["Decimal"];
            /** @description Last price of a whole token up to the block of the snapshot; null if none is known. */
            price_usd: components["schemas"]["Fraction"] | null;
            /** @description Value of the balance at that price, to six decimals; null without a price, or where the token says no decimals. */
            value_usd: components["schemas"]["Fraction"] | null;
            /** @description Block that the price is of. */
            price_block_number: number | null;
            /** @description Block of the snapshot. */
            block_number: number;
        };
        /** @description Present only when another page exists. */
        NextCursor: string;
    };
    responses: {
        /** @description A chain that the Data API has indexed: rows. */
        ChainList: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "chain": "example_mainnet",
                 *           "chain_id": 4663
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Chain"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description How fresh one table is: rows. */
        FreshnessRowList: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "database": "example_mainnet",
                 *           "table_name": "blocks",
                 *           "category": "chain",
                 *           "key_kind": "block",
                 *           "max_block_number": 960,
                 *           "max_time": "2026-11-21T08:34:00Z",
                 *           "seconds_behind": 11,
                 *           "blocks_behind": 0,
                 *           "rows_estimate": 961,
                 *           "bytes_estimate": 524288,
                 *           "follow_last_block": 960,
                 *           "follow_lag_blocks": 0,
                 *           "checked_at": "2026-11-21T08:34:11Z",
                 *           "max_day": null,
                 *           "days_behind": null,
                 *           "trace_min_block": null,
                 *           "trace_max_block": null,
                 *           "trace_gap_ranges": null,
                 *           "trace_gap_blocks": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["FreshnessRow"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A range of blocks that a data set has, or has not: rows. */
        CoverageRangePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "from_block": 1,
                 *           "to_block": 11,
                 *           "state": "gap",
                 *           "reason": "node_pruned"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["CoverageRange"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A block: rows. */
        BlockPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "number": 699,
                 *           "hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
                 *           "parent_hash": "0xe7af91284d5d25e242e803fe873e737cf485b0605cf8354c0e496dae7097e7e6",
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "miner": "0x0000000000000000000000000000000000000000",
                 *           "gas_limit": 30000000,
                 *           "gas_used": 199449,
                 *           "base_fee_per_gas": "7",
                 *           "state_root": "0xac079a1977001b0c110c9f3c8a418d3a6ba9bd17cc276e800b32b847a873d304",
                 *           "transactions_root": "0xe14297628763fc485623df2a91522f5863ed144e3ab2c70417dc5aca982e3890",
                 *           "receipts_root": "0x468bf17b54ec6296fab2a5f2f0bffa9f431c03ed63b0e0899ef9f366b4c08422",
                 *           "tx_count": 3,
                 *           "size": 1693,
                 *           "l1_block_number": null,
                 *           "extra": {
                 *             "nonce": "0x0000000000000000",
                 *             "mixHash": "0x1e8170d27ca46dce4da9ef4926a0f8eb4f39d982a5b0d1e76330824a0ae637af",
                 *             "difficulty": "0x0",
                 *             "extra_data": "0x",
                 *             "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
                 *             "blobGasUsed": "0x0",
                 *             "requestsHash": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                 *             "excessBlobGas": "0x0",
                 *             "totalDifficulty": "0x0",
                 *             "withdrawalsRoot": "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
                 *             "parentBeaconBlockRoot": "0x0000000000000000000000000000000000000000000000000000000000000000"
                 *           }
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Block"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A block. */
        Block: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "number": 699,
                 *         "hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
                 *         "parent_hash": "0xe7af91284d5d25e242e803fe873e737cf485b0605cf8354c0e496dae7097e7e6",
                 *         "timestamp": "2026-11-19T13:55:54Z",
                 *         "miner": "0x0000000000000000000000000000000000000000",
                 *         "gas_limit": 30000000,
                 *         "gas_used": 199449,
                 *         "base_fee_per_gas": "7",
                 *         "state_root": "0xac079a1977001b0c110c9f3c8a418d3a6ba9bd17cc276e800b32b847a873d304",
                 *         "transactions_root": "0xe14297628763fc485623df2a91522f5863ed144e3ab2c70417dc5aca982e3890",
                 *         "receipts_root": "0x468bf17b54ec6296fab2a5f2f0bffa9f431c03ed63b0e0899ef9f366b4c08422",
                 *         "tx_count": 3,
                 *         "size": 1693,
                 *         "l1_block_number": null,
                 *         "extra": {
                 *           "nonce": "0x0000000000000000",
                 *           "mixHash": "0x1e8170d27ca46dce4da9ef4926a0f8eb4f39d982a5b0d1e76330824a0ae637af",
                 *           "difficulty": "0x0",
                 *           "extra_data": "0x",
                 *           "sha3Uncles": "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
                 *           "blobGasUsed": "0x0",
                 *           "requestsHash": "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                 *           "excessBlobGas": "0x0",
                 *           "totalDifficulty": "0x0",
                 *           "withdrawalsRoot": "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
                 *           "parentBeaconBlockRoot": "0x0000000000000000000000000000000000000000000000000000000000000000"
                 *         }
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Block"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transaction with its receipt: rows. */
        TransactionPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "block_number": 699,
                 *           "block_hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
                 *           "transaction_index": 2,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "type": 2,
                 *           "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
                 *           "contract_address": null,
                 *           "nonce": 195,
                 *           "value": "0",
                 *           "gas": 700000,
                 *           "gas_price": "19998000000",
                 *           "effective_gas_price": "19998000000",
                 *           "max_fee_per_gas": "19998000000",
                 *           "max_priority_fee_per_gas": "19998000000",
                 *           "gas_used": 100391,
                 *           "gas_used_for_l1": null,
                 *           "l1_block_number": null,
                 *           "cumulative_gas_used": 199449,
                 *           "status": 1,
                 *           "fee": "2007619218000000",
                 *           "method_id": "0xc3052f40",
                 *           "input_size": 100,
                 *           "log_count": 3,
                 *           "request_id": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Transaction"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A log: rows. */
        LogPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "log_index": 2,
                 *           "address": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *           "topics": [
                 *             "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
                 *             "0x00000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *             "0x00000000000000000000000014dc79964da2c08b23698b3d3cc7ca32193d9955"
                 *           ],
                 *           "data": "0x0000000000000000000000000000000000000000000000003e72ec7265e4f0fb",
                 *           "data_size": 32,
                 *           "data_truncated": false
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Log"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A call within a transaction: rows. */
        TracePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "trace_index": 0,
                 *           "trace_address": [],
                 *           "depth": 0,
                 *           "type": "CALL",
                 *           "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
                 *           "value": "0",
                 *           "gas": 700000,
                 *           "gas_used": 100391,
                 *           "method_id": "0xc3052f40",
                 *           "input": "0xc3052f4000000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000003239d9faa",
                 *           "input_size": 100,
                 *           "input_truncated": false,
                 *           "output": "0x",
                 *           "output_size": 0,
                 *           "output_truncated": false,
                 *           "error": null,
                 *           "revert_reason": null,
                 *           "subcalls": 1,
                 *           "reverted_by_parent": false
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Trace"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transaction with its receipt and its input. */
        TransactionDetail: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *         "block_number": 699,
                 *         "block_hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
                 *         "transaction_index": 2,
                 *         "timestamp": "2026-11-19T13:55:54Z",
                 *         "type": 2,
                 *         "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *         "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
                 *         "contract_address": null,
                 *         "nonce": 195,
                 *         "value": "0",
                 *         "gas": 700000,
                 *         "gas_price": "19998000000",
                 *         "effective_gas_price": "19998000000",
                 *         "max_fee_per_gas": "19998000000",
                 *         "max_priority_fee_per_gas": "19998000000",
                 *         "gas_used": 100391,
                 *         "gas_used_for_l1": null,
                 *         "l1_block_number": null,
                 *         "cumulative_gas_used": 199449,
                 *         "status": 1,
                 *         "fee": "2007619218000000",
                 *         "method_id": "0xc3052f40",
                 *         "input_size": 100,
                 *         "log_count": 3,
                 *         "request_id": null,
                 *         "input": "0xc3052f4000000000000000000000000025aaf240b93aa2ef8f8d9fa0ea076ced74e001f2000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000000000000000000000000003239d9faa",
                 *         "input_truncated": false,
                 *         "extra": {}
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["TransactionDetail"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transfer of tokens that an event announces: rows. */
        TransferPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "log_index": 2,
                 *           "batch_index": 0,
                 *           "standard": "erc20",
                 *           "token": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *           "token_id": null,
                 *           "from": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *           "to": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "amount": "4499918953776476411",
                 *           "kind": "transfer",
                 *           "ui_amount": null,
                 *           "ui_multiplier": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Transfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A swap in a pool: rows. */
        TradePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "log_index": 4,
                 *           "protocol": "uniswap_v3",
                 *           "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *           "token_in": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "token_out": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *           "amount_in": "13482434474",
                 *           "amount_out": "4499918953776476411",
                 *           "amount_usd": "13482.434474",
                 *           "usd_method": "stable",
                 *           "sender": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
                 *           "recipient": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "trader": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "trader_kind": "tx_from",
                 *           "fee_pips": 500,
                 *           "sqrt_price_x96": "1444619573700182669184250510158394",
                 *           "tick": 196230,
                 *           "liquidity": "56117111135041346"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Trade"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transfer, seen from an address: rows. */
        AddressTransferPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 701,
                 *           "timestamp": "2026-11-19T14:03:09Z",
                 *           "transaction_hash": "0x48f26a95244a960ba787809c30c1f9f4b846ae22e22fc36c1b60c2ccbd99c44b",
                 *           "transaction_index": 0,
                 *           "log_index": 0,
                 *           "batch_index": 0,
                 *           "standard": "erc20",
                 *           "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
                 *           "token_id": null,
                 *           "from": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                 *           "to": "0x9543c5c3ca9c890ee7226cb9d7adf50abfef4937",
                 *           "amount": "50703550583346948697",
                 *           "kind": "transfer",
                 *           "ui_amount": "51124390053188728371",
                 *           "ui_multiplier": "1008300000000000000",
                 *           "direction": "out"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["AddressTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance: rows. */
        BalancePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "balance": "908318160581",
                 *           "symbol": "dUSD",
                 *           "decimals": 6
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Balance"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance at a snapshot; snapshots at which it did not change are left out: rows. */
        BalancePointPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 704,
                 *           "timestamp": "2026-11-19T15:14:52Z",
                 *           "balance": "908318160581",
                 *           "method": "ledger",
                 *           "confidence": "verified"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["BalancePoint"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description NFTs of an owner: rows. */
        NftHoldingPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
                 *           "token_id": "72",
                 *           "standard": "erc721",
                 *           "amount": "1",
                 *           "name": "Demo Deeds",
                 *           "symbol": "DEED",
                 *           "token_uri": null,
                 *           "acquired_block": 730,
                 *           "acquired_at": "2026-11-19T17:43:20Z"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NftHolding"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance of a tokenised stock: rows. */
        StockHoldingPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
                 *           "symbol": "BRCH",
                 *           "name": "Birch Energy",
                 *           "issuer": "Demo Securities",
                 *           "decimals": 18,
                 *           "balance": "3733143507875380566065",
                 *           "ui_balance": "3764128598990746224763",
                 *           "ui_multiplier": "1008300000000000000",
                 *           "price_usd": "41.2",
                 *           "value_usd": "153805.512692",
                 *           "price_block_number": 698,
                 *           "block_number": 704
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["StockHolding"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        TokenBatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "error": null,
                 *           "token": {
                 *             "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *             "standard": "erc20",
                 *             "name": "Demo Dollar",
                 *             "symbol": "dUSD",
                 *             "decimals": 6,
                 *             "total_supply": "49360658000000",
                 *             "holder_count": 38,
                 *             "transfer_count": 740,
                 *             "first_seen_block": 7,
                 *             "balance_model": "standard",
                 *             "is_proxy": false,
                 *             "metadata_status": "complete",
                 *             "is_stock": false
                 *           }
                 *         },
                 *         {
                 *           "address": "0x00000000000000000000000000000000000000ff",
                 *           "error": "not_found",
                 *           "token": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 2,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["BatchedToken"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        TransactionBatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "error": null,
                 *           "transaction": {
                 *             "hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *             "block_number": 699,
                 *             "block_hash": "0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3",
                 *             "transaction_index": 2,
                 *             "timestamp": "2026-11-19T13:55:54Z",
                 *             "type": 2,
                 *             "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *             "to": "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
                 *             "contract_address": null,
                 *             "nonce": 195,
                 *             "value": "0",
                 *             "gas": 700000,
                 *             "gas_price": "19998000000",
                 *             "effective_gas_price": "19998000000",
                 *             "max_fee_per_gas": "19998000000",
                 *             "max_priority_fee_per_gas": "19998000000",
                 *             "gas_used": 100391,
                 *             "gas_used_for_l1": null,
                 *             "l1_block_number": null,
                 *             "cumulative_gas_used": 199449,
                 *             "status": 1,
                 *             "fee": "2007619218000000",
                 *             "method_id": "0xc3052f40",
                 *             "input_size": 100,
                 *             "log_count": 3,
                 *             "request_id": null
                 *           }
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["BatchedTransaction"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        PriceBatch: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "error": null,
                 *           "price": {
                 *             "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *             "price_usd": "1",
                 *             "method": "peg",
                 *             "block_number": 9,
                 *             "timestamp": "2026-11-15T08:45:10Z",
                 *             "pool_id": null,
                 *             "liquidity_usd": null,
                 *             "sample_trades": 0
                 *           }
                 *         },
                 *         {
                 *           "token": "0x00000000000000000000000000000000000000ff",
                 *           "error": "not_found",
                 *           "price": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 2,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["BatchedPrice"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A token: rows. */
        TokenPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "address": "0x0b306bf915c4d645ff596e518faf3f9669b97016",
                 *           "standard": "erc20",
                 *           "name": null,
                 *           "symbol": null,
                 *           "decimals": null,
                 *           "total_supply": "90000000000000000000000",
                 *           "holder_count": 17,
                 *           "transfer_count": 22,
                 *           "first_seen_block": 8,
                 *           "balance_model": "standard",
                 *           "is_proxy": false,
                 *           "metadata_status": "partial",
                 *           "is_stock": false
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Token"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A token. */
        Token: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *         "standard": "erc20",
                 *         "name": "Demo Dollar",
                 *         "symbol": "dUSD",
                 *         "decimals": 6,
                 *         "total_supply": "49360658000000",
                 *         "holder_count": 38,
                 *         "transfer_count": 740,
                 *         "first_seen_block": 7,
                 *         "balance_model": "standard",
                 *         "is_proxy": false,
                 *         "metadata_status": "complete",
                 *         "is_stock": false
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Token"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A holder of a token: rows. */
        HolderPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "holder": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
                 *           "balance": "29901874302321",
                 *           "share_bps": 6057,
                 *           "method": "ledger",
                 *           "confidence": "verified",
                 *           "block_number": 704,
                 *           "ui_amount": null,
                 *           "ui_multiplier": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Holder"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description The price of 10^decimals raw units of a token. */
        Price: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *         "price_usd": "1",
                 *         "method": "peg",
                 *         "block_number": 9,
                 *         "timestamp": "2026-11-15T08:45:10Z",
                 *         "pool_id": null,
                 *         "liquidity_usd": null,
                 *         "sample_trades": 0
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Price"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A candle: rows. */
        CandlePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "start": "2026-11-21T08:00:00Z",
                 *           "open": "1",
                 *           "high": "1",
                 *           "low": "1",
                 *           "close": "1",
                 *           "volume_base": "144741463075",
                 *           "volume_quote": null,
                 *           "volume_usd": "144741.463075",
                 *           "trades": 13,
                 *           "first_block": 940,
                 *           "last_block": 960,
                 *           "complete": false
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Candle"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description The price of 10^decimals raw units of a token: rows. */
        PriceList: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
                 *           "price_usd": "1.93476430051031759520755765972",
                 *           "method": "native_pool",
                 *           "block_number": 702,
                 *           "timestamp": "2026-11-19T15:12:07Z",
                 *           "pool_id": "0xf67a2f36c3c026af7b69659b3b66bb8e657a821f",
                 *           "liquidity_usd": "1228631.62310977249154428519472",
                 *           "sample_trades": 0
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Price"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A collection. */
        NftCollection: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "address": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
                 *         "standard": "erc721",
                 *         "name": "Demo Deeds",
                 *         "symbol": "DEED",
                 *         "transfer_count": 279,
                 *         "first_seen_block": 22
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NftCollection"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An item of a collection: rows. */
        NftItemPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
                 *           "token_id": "1",
                 *           "token_uri": null,
                 *           "first_seen_block": 22,
                 *           "updated_block": 22
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NftItem"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An item of a collection. */
        NftItem: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "token": "0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9",
                 *         "token_id": "21",
                 *         "token_uri": null,
                 *         "first_seen_block": 193,
                 *         "updated_block": 193
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NftItem"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An owner of an item: rows. */
        NftOwnerPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "owner": "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
                 *           "token_id": "21",
                 *           "standard": "erc721",
                 *           "amount": "1",
                 *           "acquired_block": 901,
                 *           "acquired_at": "2026-11-21T01:59:59Z"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NftOwner"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A pool: rows. */
        PoolPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *           "protocol": "uniswap_v3",
                 *           "factory": "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
                 *           "verified": true,
                 *           "token0": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "token1": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *           "fee_pips": 500,
                 *           "dynamic_fee": false,
                 *           "tick_spacing": 10,
                 *           "hooks": null,
                 *           "created_block": 10,
                 *           "created_at": "2026-11-15T08:45:12Z",
                 *           "reserve0": null,
                 *           "reserve1": null,
                 *           "sqrt_price_x96": "1412889243349610908076235274472904",
                 *           "tick": 195786,
                 *           "liquidity": "56981758970673934",
                 *           "liquidity_usd": "6253884.49003044382676855370866",
                 *           "updated_block": 952
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Pool"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A pool. */
        Pool: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *         "protocol": "uniswap_v3",
                 *         "factory": "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
                 *         "verified": true,
                 *         "token0": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *         "token1": "0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
                 *         "fee_pips": 500,
                 *         "dynamic_fee": false,
                 *         "tick_spacing": 10,
                 *         "hooks": null,
                 *         "created_block": 10,
                 *         "created_at": "2026-11-15T08:45:12Z",
                 *         "reserve0": null,
                 *         "reserve1": null,
                 *         "sqrt_price_x96": "1412889243349610908076235274472904",
                 *         "tick": 195786,
                 *         "liquidity": "56981758970673934",
                 *         "liquidity_usd": "6253884.49003044382676855370866",
                 *         "updated_block": 952
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Pool"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A change of liquidity: rows. */
        LiquidityEventPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 697,
                 *           "timestamp": "2026-11-19T13:55:20Z",
                 *           "transaction_hash": "0x882d6f850127442c35cb57e11a042792e00c033a37cbf070e16b7feeddbbf1fa",
                 *           "transaction_index": 3,
                 *           "log_index": 4,
                 *           "protocol": "uniswap_v3",
                 *           "pool_id": "0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2",
                 *           "kind": "mint",
                 *           "owner": "0xa0ee7a142d267c1f36714e4a8f75612f20a79720",
                 *           "tick_lower": 184260,
                 *           "tick_upper": 208260,
                 *           "liquidity_delta": "367944499792641",
                 *           "amount0": "9171014142",
                 *           "amount1": "3004781554853584677",
                 *           "sqrt_price_x96": null
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["LiquidityEvent"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description Figures of a tokenised stock for one day: rows. */
        StockDayPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "day": "2026-11-21",
                 *           "token": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
                 *           "address": "0x3ca8f9c04c7e3e1624ac2008f92f6f366a869444",
                 *           "symbol": "BRCH",
                 *           "name": "Birch Energy",
                 *           "transfers": 22,
                 *           "transfers_raw_amount": "1335038488116914305300",
                 *           "transfers_ui_amount": "1346119307568284694022",
                 *           "unique_senders": 7,
                 *           "unique_receivers": 11,
                 *           "mint_raw_amount": "25028000000000000000",
                 *           "burn_raw_amount": "19120856677120418839",
                 *           "net_supply_change": "5907143322879581161",
                 *           "holder_count": 33,
                 *           "top10_holder_share_bps": 9565,
                 *           "dex_swap_count": 12,
                 *           "dex_raw_volume": "1094136632889165215340",
                 *           "dex_vwap_usd": "96.069224375972257385",
                 *           "ui_multiplier": "1008300000000000000",
                 *           "oracle_price_usd": null,
                 *           "premium_bps": null,
                 *           "first_block": 893,
                 *           "last_block": 960,
                 *           "refreshed_at": "2026-11-21T08:34:11.338Z"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["StockDay"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An announced change of a multiplier. It takes effect at its time, with no event then: rows. */
        MultiplierPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
                 *           "block_number": 618,
                 *           "log_index": 0,
                 *           "transaction_hash": "0xae4c9461c5a60419606a754bf6aecb2b9325feed928d13ac8115a6a246611995",
                 *           "timestamp": "2026-11-19T06:38:10Z",
                 *           "old_multiplier": "4000000000000000000",
                 *           "new_multiplier": "2000000000000000000",
                 *           "set_at": "2026-11-19T06:38:10Z",
                 *           "effective_at": "2026-11-24T08:34:00Z",
                 *           "status": "pending"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Multiplier"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A tokenised stock (ERC-8056). */
        Stock: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
                 *         "address": "0x8daf17a20c9dba35f005b6324f493785d239719d",
                 *         "issuer": "Demo Securities",
                 *         "symbol": "ACRN",
                 *         "name": "Acorn Industries",
                 *         "uid": "0x64656d6f3a4143524e0000000000000000000000000000000000000000000000",
                 *         "decimals": 18,
                 *         "ui_multiplier": "4000000000000000000",
                 *         "new_ui_multiplier": "2000000000000000000",
                 *         "effective_at": "2026-11-24T08:34:00Z",
                 *         "oracle_paused": false,
                 *         "price_feed": null,
                 *         "total_supply": "136182243963713200723683",
                 *         "total_supply_ui": "544728975854852802894732",
                 *         "holder_count": 33,
                 *         "registered_block": 7,
                 *         "daily": [
                 *           {
                 *             "day": "2026-11-21",
                 *             "token": "0x8daf17a20c9dba35f005b6324f493785d239719d",
                 *             "address": "0x8daf17a20c9dba35f005b6324f493785d239719d",
                 *             "symbol": "ACRN",
                 *             "name": "Acorn Industries",
                 *             "transfers": 6,
                 *             "transfers_raw_amount": "179977001107320669247",
                 *             "transfers_ui_amount": "719908004429282676988",
                 *             "unique_senders": 3,
                 *             "unique_receivers": 5,
                 *             "mint_raw_amount": "0",
                 *             "burn_raw_amount": "6999796566962963792",
                 *             "net_supply_change": "-6999796566962963792",
                 *             "holder_count": 35,
                 *             "top10_holder_share_bps": 9587,
                 *             "dex_swap_count": 2,
                 *             "dex_raw_volume": "151426761931525065984",
                 *             "dex_vwap_usd": "174.05089453024244",
                 *             "ui_multiplier": "4000000000000000000",
                 *             "oracle_price_usd": null,
                 *             "premium_bps": null,
                 *             "first_block": 898,
                 *             "last_block": 945,
                 *             "refreshed_at": "2026-11-21T08:34:11.338Z"
                 *           }
                 *         ]
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Stock"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An hour: rows. */
        AccountHourPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "hour": "2026-11-20T23",
                 *           "settled": false,
                 *           "cu": 71,
                 *           "usage": [
                 *             {
                 *               "chain": "example_mainnet",
                 *               "method": "data/listAddressTransfers",
                 *               "calls": 1,
                 *               "cu": 20,
                 *               "cached": 0,
                 *               "errors": 0
                 *             },
                 *             {
                 *               "chain": "example_mainnet",
                 *               "method": "eth_getLogs",
                 *               "calls": 2,
                 *               "cu": 51,
                 *               "cached": 1,
                 *               "errors": 0
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["AccountHour"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description A settlement: rows. */
        SettlementPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "hour": "2026-11-20T22",
                 *           "revision": 1,
                 *           "settled_cu": 998740,
                 *           "total_cu": 998740,
                 *           "billing_units": 998,
                 *           "remainder_cu": 740,
                 *           "settled_at": "2026-11-20T23:10:02.113Z"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["Settlement"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description A native transfer: rows. */
        NativeTransferPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "kind": "call",
                 *           "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                 *           "value": "1000000000000000000",
                 *           "direction": "in"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["NativeTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A native transfer within a transaction: rows. */
        InternalTransferPage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "block_number": 699,
                 *           "timestamp": "2026-11-19T13:55:54Z",
                 *           "transaction_hash": "0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812",
                 *           "transaction_index": 2,
                 *           "trace_index": 3,
                 *           "trace_address": [
                 *             0,
                 *             1
                 *           ],
                 *           "type": "CALL",
                 *           "from": "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
                 *           "to": "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
                 *           "value": "1000000000000000000",
                 *           "direction": "in"
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["InternalTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An overview of an address. */
        AddressOverview: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "address": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *         "first_seen": {
                 *           "block_number": 12,
                 *           "timestamp": "2026-11-18T09:12:04Z"
                 *         },
                 *         "last_seen": {
                 *           "block_number": 704,
                 *           "timestamp": "2026-11-19T14:02:31Z"
                 *         },
                 *         "transactions_sent": {
                 *           "count": 0,
                 *           "exact": true
                 *         },
                 *         "transactions_received": {
                 *           "count": 1000,
                 *           "exact": false
                 *         },
                 *         "erc20_transfers_sent": {
                 *           "count": 0,
                 *           "exact": true
                 *         },
                 *         "erc20_transfers_received": {
                 *           "count": 3,
                 *           "exact": true
                 *         },
                 *         "nft_transfers_sent": {
                 *           "count": 0,
                 *           "exact": true
                 *         },
                 *         "nft_transfers_received": {
                 *           "count": 0,
                 *           "exact": true
                 *         },
                 *         "coverage": {
                 *           "transactions": "full",
                 *           "erc20_transfers": "full",
                 *           "nft_transfers": "full"
                 *         },
                 *         "label": {
                 *           "kind": "token",
                 *           "name": "Demo Dollar",
                 *           "symbol": "dUSD",
                 *           "standard": "erc20",
                 *           "protocol": null
                 *         },
                 *         "native_balance": "0",
                 *         "has_code": true
                 *       },
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["AddressOverview"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance with its value: rows. */
        BalanceValuePage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "data": [
                 *         {
                 *           "token": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
                 *           "symbol": "dUSD",
                 *           "decimals": 6,
                 *           "balance": "908318160581",
                 *           "price_usd": "1",
                 *           "value_usd": "908318.160581",
                 *           "price_block_number": 701,
                 *           "block_number": 704
                 *         }
                 *       ],
                 *       "meta": {
                 *         "as_of_block": 960,
                 *         "finalized_block": 704,
                 *         "coverage": "full",
                 *         "refreshed_at": "2026-11-21T08:34:09Z",
                 *         "rows_read": 1,
                 *         "query_ms": 4
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["BalanceValue"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A parameter is wrong, repeated or unknown, or a cursor is of another query; the message names it. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "bad_request",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The balance of the account is used up. */
        InsufficientBalance: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "insufficient_balance",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description No such path, chain or row. A key that is missing, unknown or disabled: 404 with an empty body. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "not_found",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description What was asked for is above `finalized_block` (`as_of_block` with `finality=latest`), the window is wider than the operation allows, or a reorganisation replaced the block that the cursor is of. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "finality_exceeded",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A newer balances snapshot is complete than the one that the cursor is of: start again without the cursor. */
        SnapshotReplaced: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "snapshot_replaced",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Nothing of the chain or the data set is there, or no trace covers what was asked for. */
        Unprocessable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "dataset_not_installed",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A limit of the key; `Retry-After` says when the same request fits, if ever. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "rate_limited",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A defect of the gateway. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "internal_error",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The database wakes up or cannot be reached, or billing cannot: try again after `Retry-After`. Or the query took too long (`query_timeout`, without `Retry-After`): ask for less at a time. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "unavailable",
                 *         "message": "…"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The client has this answer: 1 CU, no body. */
        NotModified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-CU-Cost": components["headers"]["X-CU-Cost"];
                "X-CU-Billed": components["headers"]["X-CU-Billed"];
                "X-CU-Balance": components["headers"]["X-CU-Balance"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                ETag: components["headers"]["ETag"];
                "Cache-Control": components["headers"]["Cache-Control"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description API Gateway answers, as the function gave no answer: try again. The body is that of all interfaces, `error.code` is a number. */
        NoAnswer: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "jsonrpc": "2.0",
                 *       "id": null,
                 *       "error": {
                 *         "code": -32030,
                 *         "message": "rpc gateway unreachable",
                 *         "data": {
                 *           "reason": "gateway_unreachable",
                 *           "retryable": true
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["FrontError"];
            };
        };
    };
    parameters: {
        /** @description Name of the chain. */
        Chain: string;
        /** @description Most rows of a page. */
        Limit: number;
        /** @description Most rows of a page. */
        TraceLimit: number;
        /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
        Cursor: string;
        /** @description By block, the newest first unless `asc`. */
        Order: "asc" | "desc";
        /** @description Most rows of a page. */
        RecordLimit: number;
        /** @description By hour, the newest first unless `asc`. */
        HourOrder: "asc" | "desc";
        /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
        FromHour: string;
        /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
        ToHour: string;
        /** @description First block of the window. */
        FromBlock: number;
        /** @description Last block of the window. Default: the finalized block. */
        ToBlock: number;
        /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
        FromTime: string;
        /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
        ToTime: string;
        /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
        Clamp: boolean;
        /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
        Finality: "finalized" | "latest";
        /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
        Include: "token";
        /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
        Format: "csv" | "ndjson";
        /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
        MaxRows: number;
        /**
         * @description Address, in any case.
         * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
         */
        AddressPath: string;
        /**
         * @description Address of the token, in any case.
         * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
         */
        TokenPath: string;
        /**
         * @description Address of the tokenised stock, in any case.
         * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
         */
        StockPath: string;
        /**
         * @description Address of the collection, in any case.
         * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
         */
        CollectionPath: string;
        /**
         * @description Id of the item.
         * @example 21
         */
        TokenIdPath: string;
        /**
         * @description Hash of the transaction.
         * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
         */
        TransactionHashPath: string;
        /**
         * @description Number of the block.
         * @example 699
         */
        BlockNumberPath: number;
        /**
         * @description Pool id.
         * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
         */
        PoolPath: string;
        /** @description Length of a candle. */
        Interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d";
        /** @description Only of this token. */
        Token: string;
        /** @description Only of this standard. */
        Standard: "erc20" | "erc721" | "erc1155" | "all";
        /** @description Only of this standard. */
        NftStandard: "erc721" | "erc1155" | "all";
        /** @description From (`out`) or to (`in`) the address. */
        Direction: "any" | "in" | "out";
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request. Name it when you ask the operator. */
        "X-Request-Id": string;
        /** @description What was drawn from the bucket, in CU. */
        "X-CU-Cost": number;
        /** @description What was billed, in CU. */
        "X-CU-Billed": number;
        /** @description Balance of the account, in CU. */
        "X-CU-Balance": string;
        /** @description What is left of each limit and when it is whole again. */
        RateLimit: string;
        /** @description The limits. */
        "RateLimit-Policy": string;
        /** @description Seconds until the same request may pass. */
        "Retry-After": number;
        /** @description Weak tag of the answer, for `If-None-Match`. */
        ETag: string;
        /** @description How long a client may keep the answer: `immutable` if no other can ever come. */
        "Cache-Control": string;
    };
    pathItems: never;
}
export interface operations {
    listChains: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ChainList"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getFreshness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FreshnessRowList"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listCoverage: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Name of the data set.
                 * @example traces
                 */
                dataset: "blocks" | "transactions" | "logs" | "erc20_transfers" | "nft_transfers" | "tokens" | "nft_owners" | "balances" | "dex_pools" | "dex_swaps" | "dex_liquidity_events" | "token_prices" | "candles" | "stock_tokens" | "stock_multipliers" | "stock_daily" | "traces";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CoverageRangePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["BlockPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getBlock: {
        parameters: {
            query?: {
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getBlockByHash: {
        parameters: {
            query?: {
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the block.
                 * @example 0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getBlockByTime: {
        parameters: {
            query?: {
                /**
                 * @description The newest block at or before the moment, or the oldest at or after it.
                 * @example after
                 */
                side?: "before" | "after";
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description The moment.
                 * @example 2025-01-01T00:00:00Z
                 */
                time: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listBlockTransactions: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransactionPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listBlockLogs: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LogPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listBlockTraces: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TracePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransactionPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getTransaction: {
        parameters: {
            query?: {
                /** @description Whether the logs come along, and `logs_truncated` with them. They are rows of the price: more than a hundred, or more than 100 KB, cost as on a page. */
                include_logs?: boolean;
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransactionDetail"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransactionLogs: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LogPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransactionTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransactionTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransactionTraces: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TracePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listLogs: {
        parameters: {
            query?: {
                /**
                 * @description Only of this contract. It or topic0 is required.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address?: string;
                /** @description Only with this topic at place 0. */
                topic0?: string;
                /** @description Only with this topic at place 1. */
                topic1?: string;
                /** @description Only with this topic at place 2. */
                topic2?: string;
                /** @description Only with this topic at place 3. */
                topic3?: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LogPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTransfers: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AddressOverview"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressTransactions: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransactionPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressNativeTransfers: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NativeTransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressInternalTransfers: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["InternalTransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressTransfers: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Only of this token. */
                token?: components["parameters"]["Token"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AddressTransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressBalances: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["BalancePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressBalanceValues: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["BalanceValuePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listBalanceHistory: {
        parameters: {
            query: {
                /**
                 * @description The token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["BalancePointPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressNfts: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["NftStandard"];
                /** @description Only of this token. */
                token?: components["parameters"]["Token"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftHoldingPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressTraces: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TracePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAddressStocks: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StockHoldingPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description Only with this symbol, in any case. */
                symbol?: string;
                /** @description Tokens whose symbol, name or address begins with this, in any case: the very symbol first, then what most hold. One page of the best; a token is sure to be in it if it fits and fewer than 250 begin alike. */
                search?: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TokenPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Token"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTokenHolders: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HolderPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTokenTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTokenTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getTokenPrice: {
        parameters: {
            query?: {
                /** @description The newest price at or before this moment. Default: the finalized block. */
                at?: string;
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Price"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTokenCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CandlePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listPrices: {
        parameters: {
            query: {
                /**
                 * @description Up to 50 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0xe7f1725e7734ce288f8367e1bb143e90bb3f0512
                 */
                tokens: string;
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PriceList"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getTokens: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0x00000000000000000000000000000000000000ff
                 */
                addresses: string;
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TokenBatch"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getTransactions: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 hashes, separated by commas.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hashes: string;
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransactionBatch"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getPrices: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0x00000000000000000000000000000000000000ff
                 */
                tokens: string;
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PriceBatch"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getNftCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftCollection"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listNftItems: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftItemPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getNftItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftItem"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listNftItemOwners: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftOwnerPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listNftItemTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listNftOwners: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NftOwnerPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listNftTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listPools: {
        parameters: {
            query?: {
                /** @description Only of this token. */
                token?: components["parameters"]["Token"];
                /** @description Only of this protocol. */
                protocol?: string;
                /** @description Only of the pair of this token and `token1`, in either order. */
                token0?: string;
                /** @description Only of the pair of this token and `token0`, in either order. */
                token1?: string;
                /** @description By pool id, or the most liquid first. Liquidity is current state: a pool whose liquidity changes between two pages may be missed or told twice. */
                sort?: "pool_id" | "liquidity";
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PoolPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getPool: {
        parameters: {
            query?: {
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Pool"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listPoolTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listPoolLiquidityEvents: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["LiquidityEventPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listPoolCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CandlePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStocks: {
        parameters: {
            query?: {
                /** @description UTC day. Default: the newest day with figures. */
                day?: string;
                /** @description Every registered stock, those without a transfer on that day as well: their sums are 0, what is not known of them is null. */
                all?: boolean;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StockDayPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listCorporateActions: {
        parameters: {
            query?: {
                /** @description Only of this status. */
                status?: "pending" | "effective" | "superseded";
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MultiplierPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    getStock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Stock"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockDaily: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["StockDayPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockMultipliers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["MultiplierPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockHolders: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HolderPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SnapshotReplaced"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TransferPage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description What else to tell: with `token`, symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TradePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listStockCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, or CSV. Its last line tells whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` tells: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            header?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["Chain"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CandlePage"];
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            402: components["responses"]["InsufficientBalance"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Unprocessable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAccountUsage: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description By hour, the newest first unless `asc`. */
                order?: components["parameters"]["HourOrder"];
                /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
                from_time?: components["parameters"]["FromHour"];
                /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
                to_time?: components["parameters"]["ToHour"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["AccountHourPage"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
    listAccountSettlements: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description By hour, the newest first unless `asc`. */
                order?: components["parameters"]["HourOrder"];
                /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
                from_time?: components["parameters"]["FromHour"];
                /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
                to_time?: components["parameters"]["ToHour"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["SettlementPage"];
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["NoAnswer"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["NoAnswer"];
        };
    };
}
